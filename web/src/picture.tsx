// The neighbours of a thing as a picture. Where there is room it is a wheel: the thing stands in the middle, what it is
// linked with around it, by the kind of link, with the names along the spokes, so that two hundred of them cover none of
// each other. On a narrow screen it is a tree that grows downwards. The list of facts says the same in words.
import {useLayoutEffect, useRef, useState} from 'preact/hooks';
import type {Facts} from './api';
import {href} from './route';
import {shorten, visible} from './text';

const kMostShown = 200;
const kPitch = 13.5; // of two names on the rim
const kLongestName = 26; // signs
const kNameWidth = 190;
const kSmallestWheel = 120; // radius
const kSmallestZoom = 0.8;
const kNarrow = 560; // of the place that there is
const kRow = 20; // of the tree

interface Neighbour {
  id: string;
  name: string;
}
interface Sector {
  kind: string; // "works_at →"
  list: Neighbour[];
}

export function sectorsOf(facts: Facts): Sector[] {
  const kinds = new Map<string, Map<string, Neighbour>>();
  for (const fact of facts.facts) {
    const out = fact.subject_id === facts.entity;
    const id = out ? fact.object_id : fact.subject_id;
    if (!id || id === facts.entity) continue;
    const kind = out ? `${fact.predicate} →` : `← ${fact.predicate}`;
    const list = kinds.get(kind) ?? new Map<string, Neighbour>();
    kinds.set(kind, list.set(id, {id, name: out ? fact.object : fact.subject}));
  }
  return [...kinds]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, list]) => ({kind, list: [...list.values()]}));
}

function firstOf(sectors: Sector[], most: number): Sector[] {
  let left = most;
  return sectors
    .map((sector) => {
      const list = sector.list.slice(0, left);
      left -= list.length;
      return {kind: sector.kind, list};
    })
    .filter((sector) => sector.list.length > 0);
}

const round = (number: number) => Math.round(number * 10) / 10;

function at(angle: number, radius: number): {x: number; y: number} {
  return {x: round(Math.cos(angle) * radius), y: round(Math.sin(angle) * radius)};
}

// Upright whichever side it is on.
function along(angle: number, radius: number): {transform: string; 'text-anchor': 'start' | 'end'} {
  const degrees = (angle * 180) / Math.PI;
  const left = Math.cos(angle) < 0;
  const {x, y} = at(angle, radius);
  return {
    transform: `translate(${x} ${y}) rotate(${round(left ? degrees + 180 : degrees)})`,
    'text-anchor': left ? 'end' : 'start',
  };
}

function Wheel({name, sectors, zoom}: {name: string; sectors: Sector[]; zoom: number}) {
  const {radius, half, places} = wheelOf(sectors);
  let place = 0;
  const angleAt = (index: number) => (index / places) * 2 * Math.PI - Math.PI / 2;
  return (
    <svg
      class="picture"
      role="group"
      aria-label="Links of the thing"
      width={round(2 * half * zoom)}
      height={round(2 * half * zoom)}
      viewBox={`${-half} ${-half} ${2 * half} ${2 * half}`}
    >
      {sectors.map((sector, number) => {
        const first = place;
        // A place is left free between two kinds.
        place += sector.list.length + 1;
        const hue = `hue${number % 6}`;
        return (
          <g class={hue}>
            {sector.list.map((_, index) => {
              const from = at(angleAt(first + index), 34);
              const to = at(angleAt(first + index), radius);
              return <line class="spoke" x1={from.x} y1={from.y} x2={to.x} y2={to.y} />;
            })}
            {sector.list.map((one, index) => {
              const angle = angleAt(first + index);
              const dot = at(angle, radius);
              return (
                <a href={href('thing', one.id)}>
                  <title>{visible(`${sector.kind} ${one.name}`)}</title>
                  <circle cx={dot.x} cy={dot.y} r={4} />
                  <text class="name" dominant-baseline="central" {...along(angle, radius + 9)}>
                    {shorten(one.name, kLongestName)}
                  </text>
                </a>
              );
            })}
            <text
              class="kind"
              dominant-baseline="central"
              {...along(angleAt(first + (sector.list.length - 1) / 2), Math.max(40, radius * 0.45))}
            >
              {shorten(sector.kind, 18)}
            </text>
          </g>
        );
      })}
      <circle class="hub" r={32} />
      <text class="hubname" text-anchor="middle" dominant-baseline="central">
        {shorten(name, 9)}
      </text>
    </svg>
  );
}

function wheelOf(sectors: Sector[]) {
  const places = sectors.reduce((sum, sector) => sum + sector.list.length + 1, 0);
  const radius = Math.max(kSmallestWheel, (places * kPitch) / (2 * Math.PI));
  return {places, radius, half: round(radius + kNameWidth)};
}

function Tree({name, sectors, width}: {name: string; sectors: Sector[]; width: number}) {
  const rows = sectors.reduce((sum, sector) => sum + sector.list.length + 1, 1);
  const longest = Math.floor((width - 60) / 7.5);
  let row = 1;
  let lastKind = 0;
  const y = (of: number) => of * kRow + 12;
  const branches = sectors.map((sector, number) => {
    const first = row;
    lastKind = first;
    row += sector.list.length + 1;
    return (
      <g class={`hue${number % 6}`}>
        <line class="spoke" x1={10} y1={y(first)} x2={22} y2={y(first)} />
        <line class="spoke" x1={30} y1={y(first) + 8} x2={30} y2={y(row - 1)} />
        <text class="kind" x={24} y={y(first)} dominant-baseline="central">
          {shorten(sector.kind, longest)}
        </text>
        {sector.list.map((one, index) => (
          <a href={href('thing', one.id)}>
            <title>{visible(`${sector.kind} ${one.name}`)}</title>
            <line class="spoke" x1={30} y1={y(first + index + 1)} x2={40} y2={y(first + index + 1)} />
            <circle cx={42} cy={y(first + index + 1)} r={4} />
            <text class="name" x={52} y={y(first + index + 1)} dominant-baseline="central">
              {shorten(one.name, longest)}
            </text>
          </a>
        ))}
      </g>
    );
  });
  return (
    <svg
      class="picture"
      role="group"
      aria-label="Links of the thing"
      width={width}
      height={y(rows)}
      viewBox={`0 0 ${width} ${y(rows)}`}
    >
      <line class="trunk" x1={10} y1={y(0)} x2={10} y2={y(lastKind)} />
      {branches}
      <circle class="hub" cx={10} cy={y(0)} r={8} />
      <text class="top" x={24} y={y(0)} dominant-baseline="central">
        {shorten(name, longest)}
      </text>
    </svg>
  );
}

export function Picture({of}: {of: Facts}) {
  const [zoom, setZoom] = useState(1);
  const [room, setRoom] = useState(0);
  const frame = useRef<HTMLDivElement>(null);
  const all = sectorsOf(of);
  const sectors = firstOf(all, kMostShown);
  const count = (list: Sector[]) => list.reduce((sum, sector) => sum + sector.list.length, 0);
  const wheel = room >= kNarrow;
  const {half} = wheelOf(sectors);
  useLayoutEffect(() => {
    const width = () => setRoom(frame.current?.clientWidth ?? 0);
    width();
    addEventListener('resize', width);
    return () => removeEventListener('resize', width);
  }, []);
  // As much as fits, but never too small to be read; what does not fit is scrolled to, from the middle.
  useLayoutEffect(() => {
    setZoom(Math.max(kSmallestZoom, Math.min(1, room / (2 * half))));
  }, [room, half]);
  useLayoutEffect(() => {
    const shownIn = frame.current;
    if (!shownIn || !wheel) return;
    shownIn.scrollLeft = (shownIn.scrollWidth - shownIn.clientWidth) / 2;
    shownIn.scrollTop = (shownIn.scrollHeight - shownIn.clientHeight) / 2;
  }, [zoom, wheel]);
  if (sectors.length === 0) return null;
  const name = of.name || of.entity;
  return (
    <section aria-label="Picture">
      <h2>Neighbours</h2>
      <p class="row">
        {wheel ? (
          <>
            <button onClick={() => setZoom(Math.min(zoom * 1.4, 4))}>Larger</button>
            <button onClick={() => setZoom(Math.max(zoom / 1.4, 0.35))}>Smaller</button>
          </>
        ) : null}
        {count(all) > count(sectors) ? (
          <span class="quiet">
            {count(sectors)} of {count(all)} links are drawn; the facts have all.
          </span>
        ) : null}
      </p>
      <div
        class={wheel ? 'wide frame' : 'wide'}
        ref={frame}
        role="region"
        aria-label="Picture of the neighbours"
        tabIndex={0}
      >
        {room === 0 ? null : wheel ? (
          <Wheel name={name} sectors={sectors} zoom={zoom} />
        ) : (
          <Tree name={name} sectors={sectors} width={room} />
        )}
      </div>
    </section>
  );
}
