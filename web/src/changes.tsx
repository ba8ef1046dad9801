// Changes: what the log says as it comes, one entry of it, and what changed since a moment.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {follow, get, type Change, type Changes, type Me} from './api';
import {go, href} from './route';
import {Data, Fault, Origin, useLoaded} from './text';
import {UndoButton} from './undo';

const kMostKept = 500;
const kLookBack = 50; // entries that are shown from before

function Lines({sign, lines}: {sign: string; lines: string[]}) {
  const [all, setAll] = useState(false);
  const shown = all ? lines : lines.slice(0, 12);
  return (
    <>
      {shown.map((line) => (
        <li class={sign === '+' ? 'came' : 'went'}>
          <span aria-label={sign === '+' ? 'came:' : 'went:'}>{sign}</span> <Data text={line} />
        </li>
      ))}
      {shown.length < lines.length ? (
        <li>
          <button onClick={() => setAll(true)}>{lines.length - shown.length} more</button>
        </li>
      ) : null}
    </>
  );
}

export function EntryCard(of: {
  change: Change;
  me: Me;
  onUndone?: () => void;
  children?: ComponentChildren;
}) {
  const {change, me} = of;
  const mine = me.may_write && change.author === me.name;
  return (
    <li class="card">
      <p class="row">
        <Origin {...change} entry={change.sequence} />
        {of.children}
        {mine ? <UndoButton entries={String(change.sequence)} onDone={of.onUndone ?? (() => {})} /> : null}
      </p>
      <ul class="lines">
        <Lines sign="+" lines={change.added} />
        <Lines sign="−" lines={change.removed} />
      </ul>
      {change.more ? <p class="quiet">and {change.more} more</p> : null}
    </li>
  );
}

export function EntryView({of, me}: {of: string; me: Me}) {
  const entry = useLoaded(() => get<Change>(`/v1/entries/${encodeURIComponent(of)}`), [of]);
  const number = Number(of);
  return (
    <>
      <h1 tabIndex={-1}>Entry {Number.isInteger(number) ? number : <Data text={of} />} of the log</h1>
      <Fault error={entry.error} />
      {entry.value ? (
        <ul class="plain">
          <EntryCard change={entry.value} me={me} onUndone={() => go('changes')} />
        </ul>
      ) : null}
      {entry.value && entry.value.added.length + entry.value.removed.length === 0 ? (
        <p class="quiet">It changed no statement of the knowledge.</p>
      ) : null}
      <p class="row">
        {number > 1 ? <a href={href('entry', String(number - 1))}>the one before</a> : null}
        {Number.isInteger(number) ? <a href={href('entry', String(number + 1))}>the next</a> : null}
      </p>
    </>
  );
}

function Since({since}: {since: string}) {
  const changes = useLoaded(() => get<Changes>('/v1/changes', {since}), [since]);
  const value = changes.value;
  return (
    <section aria-label="Since then">
      <h2>
        Since <Data text={since} />
      </h2>
      <Fault error={changes.error} />
      {value ? (
        <>
          <p>
            {value.added_count} came, {value.removed_count} went, up to entry {value.now}
          </p>
          <ul class="lines">
            <Lines sign="+" lines={value.added} />
            <Lines sign="−" lines={value.removed} />
          </ul>
        </>
      ) : null}
    </section>
  );
}

export function ChangesView({query, me}: {query: URLSearchParams; me: Me}) {
  const since = query.get('since') ?? '';
  const [when, setWhen] = useState(since);
  const [state, setState] = useState('connecting');
  const [list, setList] = useState<Change[]>([]);
  const [error, setError] = useState<unknown>();
  const stop = useRef(new AbortController());
  useEffect(() => {
    const over = new AbortController();
    stop.current = over;
    const begin = async () => {
      const now = await get<{entries: number}>('/v1/statistics');
      const after = Math.max(0, now.entries - kLookBack);
      await follow(
        String(after),
        over.signal,
        (change) => setList((before) => [change, ...before].slice(0, kMostKept)),
        setState,
      );
    };
    begin().catch((failed: unknown) => over.signal.aborted || setError(failed));
    return () => over.abort();
  }, []);
  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          go('changes', '', when.trim() ? {since: when.trim()} : {});
        }}
      >
        <label>
          What changed since
          <input
            value={when}
            placeholder="yesterday, 2026-11-01, 120"
            onInput={(event) => setWhen(event.currentTarget.value)}
          />
        </label>
        <button>Look</button>
      </form>
      {since ? <Since since={since} /> : null}
      <section aria-label="As they come">
        <h2>As they come</h2>
        <p class="quiet" role="status">
          {state === 'live' ? 'Each change appears here as it is written.' : visibleState(state)}
        </p>
        <Fault error={error} />
        {list.length === 0 && state === 'live' ? <p class="quiet">Nothing changed yet.</p> : null}
        <ul class="plain">
          {list.map((change) => (
            <EntryCard key={change.sequence} change={change} me={me} />
          ))}
        </ul>
      </section>
    </>
  );
}

function visibleState(state: string) {
  return <Data text={`${state} …`} />;
}
