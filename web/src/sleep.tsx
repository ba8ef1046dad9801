// Sleep: what each cycle changed, and how the memory's measures went from cycle to cycle, as lines.
import {get} from './api';
import {Data, Fault, useLoaded, When} from './text';

interface Measures {
  concepts: number;
  links: number;
  orphans: number;
  unsorted: number;
  waiting_events: number;
  stale_events: number;
  average_confidence: number;
}

interface Phase {
  phase: number;
  name: string;
  changes: number;
  left: number;
  items?: {changed: boolean; what: string; about: string; reason: string}[];
}

interface Cycle {
  cycle: number;
  status: string;
  trigger: string;
  started_at?: string;
  changes: number;
  before: Measures;
  after: Measures;
  phases: Phase[];
}

const kPlots: [keyof Measures, string][] = [
  ['concepts', 'Things'],
  ['links', 'Links'],
  ['average_confidence', 'Average confidence'],
  ['unsorted', 'Unsorted'],
  ['orphans', 'Without a link'],
  ['stale_events', 'Old events that wait'],
];

const kWidth = 300, kHeight = 90, kEdge = 6;

function shown(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}

// The measure after each cycle, the oldest first; also told in words, for who does not see it.
function Plot({name, values}: {name: string; values: number[]}) {
  const least = Math.min(...values), most = Math.max(...values);
  const x = (at: number) => kEdge + (at * (kWidth - 2 * kEdge)) / Math.max(1, values.length - 1);
  const y = (value: number) =>
    most === least ? kHeight / 2 : kHeight - kEdge - ((value - least) * (kHeight - 2 * kEdge)) / (most - least);
  const last = values[values.length - 1]!;
  return (
    <figure>
      <figcaption>
        {name}: <strong>{shown(last)}</strong>{' '}
        <span class="quiet">
          ({shown(least)} to {shown(most)})
        </span>
      </figcaption>
      <svg
        class="plot"
        viewBox={`0 0 ${kWidth} ${kHeight}`}
        role="img"
        aria-label={`${name} after each of ${values.length} cycles: ${shown(values[0]!)} first, ${shown(last)} last`}
      >
        <polyline points={values.map((value, at) => `${x(at)},${y(value)}`).join(' ')} />
        {values.map((value, at) => (
          <circle cx={x(at)} cy={y(value)} r="3" />
        ))}
      </svg>
    </figure>
  );
}

function CycleCard({cycle}: {cycle: Cycle}) {
  const worked = cycle.phases.filter((phase) => phase.changes > 0 || phase.left > 0);
  return (
    <li class="card">
      <p class="row">
        <strong>Cycle {cycle.cycle}</strong> <span class="mark">{cycle.status}</span> <When time={cycle.started_at} />{' '}
        <span class="quiet">
          <Data text={cycle.trigger} />
        </span>
      </p>
      <p>
        {cycle.changes} changes; {cycle.before.concepts} things before, {cycle.after.concepts} after
      </p>
      {worked.map((phase) => (
        <details>
          <summary>
            <Data text={phase.name ?? String(phase.phase)} />: {phase.changes} changed, {phase.left} left alone
          </summary>
          <ul class="lines">
            {(phase.items ?? []).map((item) => (
              <li>
                <Data text={item.what} />: <Data text={item.about} />{' '}
                <span class="quiet">
                  <Data text={item.reason} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </li>
  );
}

export function SleepSection() {
  const told = useLoaded(() => get<{cycles: Cycle[]}>('/v1/sleep', {limit: '50'}), []);
  const cycles = told.value?.cycles ?? [];
  const measured = cycles.filter((cycle) => cycle.after?.concepts > 0).reverse();
  return (
    <section aria-label="Sleep">
      <h2>Sleep</h2>
      <Fault error={told.error} />
      {told.value && cycles.length === 0 ? <p class="quiet">It has not slept yet: anima sleep</p> : null}
      {measured.length > 0 ? (
        <div class="plots">
          {kPlots.map(([key, name]) => (
            <Plot name={name} values={measured.map((cycle) => cycle.after[key])} />
          ))}
        </div>
      ) : null}
      <ul class="plain">
        {cycles.slice(0, 10).map((cycle) => (
          <CycleCard key={cycle.cycle} cycle={cycle} />
        ))}
      </ul>
    </section>
  );
}
