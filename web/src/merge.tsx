// Two things that are one: which stays, what would change, and the act itself, which can be undone.
import {useState} from 'preact/hooks';
import {get, type Fact, type Facts, type Thing} from './api';
import {kip} from './kip';
import {go} from './route';
import {cellText, Data, Dialog, Fault, useLoaded} from './text';

const kShown = 50;

interface Two {
  goes: Facts;
  stays: Facts;
}

const merging = (two: {goes: string; stays: string}) => ({
  command: 'MERGE CONCEPT ?a INTO ?b WHERE { ?a {id: :a} ?b {id: :b} }',
  parameters: {a: two.goes, b: two.stays},
});

const isValue = (fact: Fact) => !fact.object_id;

// What the one that goes is said to be otherwise than the one that stays.
function differing({goes, stays}: Two): {predicate: string; kept: string; other: string}[] {
  const kept = new Map(
    stays.facts.filter((fact) => isValue(fact) && fact.subject_id === stays.entity).map((fact) => [fact.predicate, fact.object]),
  );
  return goes.facts
    .filter((fact) => isValue(fact) && fact.subject_id === goes.entity)
    .filter((fact) => kept.has(fact.predicate) && kept.get(fact.predicate) !== fact.object)
    .map((fact) => ({predicate: fact.predicate, kept: kept.get(fact.predicate)!, other: fact.object}));
}

// What will be said of the one that stays: the facts of the other, but those between the two and the values it has.
function moving(two: Two): Fact[] {
  const {goes, stays} = two;
  const kept = new Set(stays.facts.filter((fact) => fact.subject_id === stays.entity).map((fact) => fact.predicate));
  return goes.facts.filter(
    (fact) =>
      fact.subject_id !== stays.entity &&
      fact.object_id !== stays.entity &&
      !(isValue(fact) && kept.has(fact.predicate)),
  );
}

function Preview({two, tried}: {two: Two; tried: Record<string, unknown>}) {
  const {goes, stays} = two;
  const facts = moving(two), other = differing(two);
  const swapped = (id: string, name: string) => (id === goes.entity ? stays.name : name);
  return (
    <>
      <p>
        <Data text={goes.name} /> goes, and stays as another name of <Data text={stays.name} />.
      </p>
      {facts.length > 0 ? <h3>Would be said of it ({facts.length + goes.left_out})</h3> : null}
      <ul class="lines">
        {facts.slice(0, kShown).map((fact) => (
          <li>
            <Data text={swapped(fact.subject_id, fact.subject)} />{' '}
            <em>
              <Data text={fact.predicate} />
            </em>{' '}
            <Data text={fact.object_id ? swapped(fact.object_id, fact.object) : fact.object} />
          </li>
        ))}
      </ul>
      {other.length > 0 ? <h3>The two differ ({other.length})</h3> : null}
      <ul class="lines">
        {other.slice(0, kShown).map((each) => (
          <li>
            <Data text={each.predicate} />: <Data text={each.kept} /> stays; <Data text={each.other} /> is kept as a
            contradiction
          </li>
        ))}
      </ul>
      <p class="quiet">
        Links that move: <Data text={cellText(tried['links_repointed'])} />, that both have:{' '}
        <Data text={cellText(tried['links_deduplicated'])} />, between the two:{' '}
        <Data text={cellText(tried['links_dropped'])} />.
      </p>
    </>
  );
}

function Confirm({goes, stays, onBack, onEnd}: {
  goes: string;
  stays: string;
  onBack: () => void;
  onEnd: (stays: string) => void;
}) {
  const [error, setError] = useState<unknown>();
  const two = useLoaded(async () => {
    const [a, b] = await Promise.all(
      [goes, stays].map((about) => get<Facts>('/v1/facts', {about, limit: '1000'})),
    );
    return {goes: a!, stays: b!};
  }, [goes, stays]);
  const tried = useLoaded(() => kip({...merging({goes, stays}), dry_run: true}), [goes, stays]);
  return (
    <>
      {two.value && tried.value ? <Preview two={two.value} tried={tried.value} /> : null}
      <Fault error={two.error ?? tried.error ?? error} />
      <p class="row">
        <button
          class="danger"
          disabled={!two.value || !tried.value}
          onClick={() => kip(merging({goes, stays})).then(() => onEnd(stays), setError)}
        >
          Merge them
        </button>
        <button onClick={onBack}>Choose another</button>
      </p>
    </>
  );
}

function Choose({of, onChosen}: {of: Facts; onChosen: (thing: Thing) => void}) {
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState(of.name);
  const asked: Record<string, string> = {limit: '20'};
  if (query.trim()) asked['query'] = query;
  if (of.type) asked['type'] = of.type;
  const found = useLoaded(() => get<{things: Thing[]}>('/v1/things', asked), [query]);
  const others = found.value?.things.filter((thing) => thing.id !== of.entity) ?? [];
  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery(typed.trim());
        }}
      >
        <label class="grow">
          The same thing under another name
          <input type="search" required value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <button>Find</button>
      </form>
      <Fault error={found.error} />
      <ul class="plain">
        {others.map((thing) => (
          <li>
            <button onClick={() => onChosen(thing)}>
              <Data text={thing.name} /> <code>{thing.id}</code>
            </button>
          </li>
        ))}
      </ul>
      {found.value && others.length === 0 ? <p class="quiet">None of its type has these words.</p> : null}
    </>
  );
}

function MergeDialog({of, onEnd}: {of: Facts; onEnd: () => void}) {
  const [other, setOther] = useState<Thing>();
  const [keep, setKeep] = useState(true);
  return (
    <Dialog title="Merge" onClose={onEnd}>
      {other ? (
        <>
          <label class="row">
            <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
            <span>
              <Data text={of.name} /> is the one that stays
            </span>
          </label>
          <Confirm
            goes={keep ? other.id : of.entity}
            stays={keep ? of.entity : other.id}
            onBack={() => setOther(undefined)}
            onEnd={(stays) => {
              onEnd();
              go('thing', stays, {merged: String(Date.now())});
            }}
          />
        </>
      ) : (
        <Choose of={of} onChosen={setOther} />
      )}
      <p class="row">
        <button onClick={onEnd}>Leave it</button>
      </p>
    </Dialog>
  );
}

export function MergeButton({of}: {of: Facts}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button onClick={() => setOpen(true)}>Merge …</button>
      {open ? <MergeDialog of={of} onEnd={() => setOpen(false)} /> : null}
    </>
  );
}
