// Memory: what is remembered, and the things that are known; search, tell, correct, withdraw.
import {useState} from 'preact/hooks';
import {get, send, type Me, type Memory, type Thing, type Told} from './api';
import {href} from './route';
import {Data, Dialog, Fault, Origin, ThingLink, useLoaded} from './text';
import {UndoButton} from './undo';

// What was told, and what it asks back: an answer is told as the next line.
function Answered({told, tell}: {told: Told; tell: (text: string) => void}) {
  const text = (name: string) => (typeof told[name] === 'string' ? (told[name] as string) : '');
  const choices = Array.isArray(told['choices']) ? (told['choices'] as string[]) : [];
  const asks = text('asks');
  return (
    <div role="status">
      {told['known_before'] === true ? <p>It was remembered before.</p> : <p>It is kept.</p>}
      {text('stated') ? (
        <p>
          Stated: <Data text={text('stated')} />
        </p>
      ) : null}
      {text('corrected') ? (
        <p>
          Corrected: <Data text={text('corrected')} />
        </p>
      ) : null}
      {asks ? (
        <p class="row">
          <Data text={asks} />
          {(choices.length > 0 ? choices : ['yes', 'no']).map((choice) => (
            <button onClick={() => tell(choice)}>
              <Data text={choice} />
            </button>
          ))}
        </p>
      ) : null}
    </div>
  );
}

export function TellForm({label, example, onTold}: {label: string; example: string; onTold: () => void}) {
  const [text, setText] = useState('');
  const [told, setTold] = useState<Told>();
  const [error, setError] = useState<unknown>();
  const tell = (what: string) => {
    if (!what.trim()) return;
    setError(undefined);
    send<Told>('POST', '/v1/memories', {text: what}).then((answer) => {
      setTold(answer);
      setText('');
      onTold();
    }, setError);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        tell(text);
      }}
    >
      <div class="row">
        <label class="grow">
          {label}
          <input value={text} placeholder={example} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button class="main">Tell</button>
      </div>
      <Fault error={error} />
      {told ? (
        <>
          <Answered told={told} tell={tell} />
          <UndoButton
            entries="last"
            onDone={() => {
              setTold(undefined);
              onTold();
            }}
          />
        </>
      ) : null}
    </form>
  );
}

function CorrectDialog({memory, onEnd}: {memory: Memory; onEnd: (done: boolean) => void}) {
  const [text, setText] = useState(memory.text);
  const [error, setError] = useState<unknown>();
  const save = () =>
    send('PATCH', `/v1/memories/${encodeURIComponent(memory.id)}`, {text}).then(() => onEnd(true), setError);
  return (
    <Dialog title="Put another text in its place" onClose={() => onEnd(false)}>
      <label>
        The text
        <textarea rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <p class="quiet">What the old text stated is taken back, and the new one is read.</p>
      <Fault error={error} />
      <p class="row">
        <button class="main" disabled={!text.trim() || text === memory.text} onClick={save}>
          Put it there
        </button>
        <button onClick={() => onEnd(false)}>Leave it</button>
      </p>
    </Dialog>
  );
}

function WithdrawDialog({memory, onEnd}: {memory: Memory; onEnd: (done: boolean) => void}) {
  const [error, setError] = useState<unknown>();
  const path = `/v1/memories/${encodeURIComponent(memory.id)}`;
  const goes = useLoaded(() => send<{would_take_back: string[]}>('DELETE', `${path}?dry_run=true`), [path]);
  const withdraw = () => send('DELETE', path).then(() => onEnd(true), setError);
  return (
    <Dialog title="Withdraw a memory" onClose={() => onEnd(false)}>
      <blockquote>
        <Data text={memory.text} />
      </blockquote>
      {goes.value && goes.value.would_take_back.length > 0 ? (
        <>
          <p>With it goes what it stated:</p>
          <ul class="lines">
            {goes.value.would_take_back.map((fact) => (
              <li>
                <Data text={fact} />
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {goes.value && goes.value.would_take_back.length === 0 ? <p>It states no fact that holds.</p> : null}
      <p class="quiet">
        It can be undone. To take it out of the log for good is the owner’s: <code>anima forget</code>.
      </p>
      <Fault error={goes.error ?? error} />
      <p class="row">
        <button class="danger" disabled={!goes.value} onClick={withdraw}>
          Withdraw it
        </button>
        <button onClick={() => onEnd(false)}>Leave it</button>
      </p>
    </Dialog>
  );
}

function MemoryCard({memory, me, onChanged}: {memory: Memory; me: Me; onChanged: (what: string) => void}) {
  const [doing, setDoing] = useState<'' | 'correct' | 'withdraw'>('');
  const end = (done: boolean) => {
    const what = doing === 'correct' ? 'Another text is in its place.' : 'It is withdrawn.';
    setDoing('');
    if (done) onChanged(what);
  };
  return (
    <li class="card">
      <p class="said">
        {memory.unreadable ? <em>sealed, and its key is not here</em> : <Data text={memory.text} />}
        {memory.bytes ? <span class="quiet"> … ({memory.bytes} bytes)</span> : null}
      </p>
      <p class="row">
        <Origin author={memory.author} source={memory.source} time={memory.created} trust={memory.trust} />
        {me.may_write && memory.changeable ? (
          <>
            <button onClick={() => setDoing('correct')}>Correct …</button>
            <button onClick={() => setDoing('withdraw')}>Withdraw …</button>
          </>
        ) : null}
      </p>
      {doing === 'correct' ? <CorrectDialog memory={memory} onEnd={end} /> : null}
      {doing === 'withdraw' ? <WithdrawDialog memory={memory} onEnd={end} /> : null}
    </li>
  );
}

interface Page<T> {
  list: T[];
  next?: string;
}

// The pages of a list so far; by another question it begins anew.
function usePages<T>(load: (cursor: string) => Promise<Page<T>>, by: unknown[]) {
  const [more, setMore] = useState<{by: string; list: T[]; next?: string}>();
  const [error, setError] = useState<unknown>();
  const key = JSON.stringify(by);
  const first = useLoaded(() => load(''), by);
  const behind = more?.by === key ? more : undefined;
  const next = behind ? behind.next : first.value?.next;
  return {
    list: [...(first.value?.list ?? []), ...(behind?.list ?? [])],
    error: first.error ?? error,
    busy: first.busy,
    again: () => {
      setMore(undefined);
      first.again();
    },
    more: next
      ? () =>
          load(next).then(
            (page) => setMore({by: key, list: [...(behind?.list ?? []), ...page.list], next: page.next}),
            setError,
          )
      : undefined,
  };
}

function Memories({query, one, me}: {query: string; one: string; me: Me}) {
  const [changed, setChanged] = useState('');
  const pages = usePages<Memory>(
    async (cursor) => {
      if (one) return {list: [await get<Memory>(`/v1/memories/${encodeURIComponent(one)}`)]};
      const asked: Record<string, string> = query ? {query, limit: '100'} : {limit: '20'};
      if (cursor) asked['cursor'] = cursor;
      const page = await get<{memories: Memory[]; next_cursor?: string}>('/v1/memories', asked);
      return {list: page.memories, next: page.next_cursor};
    },
    [query, one],
  );
  const again = (what: string) => {
    setChanged(what);
    pages.again();
  };
  return (
    <section aria-label="Memories">
      <h2>Memories</h2>
      {me.may_write ? (
        <TellForm label="Tell it something" example="Ada works at Initech" onTold={() => again('')} />
      ) : null}
      {one ? (
        <p>
          <a href={href('memory')}>all memories</a>
        </p>
      ) : null}
      {changed ? (
        <p role="status" class="row">
          {changed} <UndoButton entries="last" onDone={() => again('')} />
        </p>
      ) : null}
      <Fault error={pages.error} />
      {!pages.busy && !pages.error && pages.list.length === 0 ? (
        <p class="quiet">{query ? 'No memory has these words.' : 'Nothing is remembered yet.'}</p>
      ) : null}
      <ul class="plain">
        {pages.list.map((memory) => (
          <MemoryCard key={memory.id} memory={memory} me={me} onChanged={again} />
        ))}
      </ul>
      {pages.more ? <button onClick={pages.more}>More memories</button> : null}
    </section>
  );
}

function Things({query, type}: {query: string; type: string}) {
  const pages = usePages<Thing>(
    async (cursor) => {
      const asked: Record<string, string> = {limit: '50'};
      if (query.trim()) asked['query'] = query;
      if (type) asked['type'] = type;
      if (cursor && !query) asked['cursor'] = cursor;
      const page = await get<{things: Thing[]; next_cursor?: string}>('/v1/things', asked);
      return {list: page.things, next: page.next_cursor};
    },
    [query, type],
  );
  return (
    <section aria-label="Things">
      <h2>Things{type ? <> of type <Data text={type} /></> : null}</h2>
      {type ? (
        <p>
          <a href={href('memory', '', query ? {query} : {})}>of all types</a>
        </p>
      ) : null}
      <Fault error={pages.error} />
      {!pages.busy && !pages.error && pages.list.length === 0 ? (
        <p class="quiet">{query ? 'No thing has these words.' : 'No thing is known yet.'}</p>
      ) : null}
      <ul class="columns">
        {pages.list.map((thing) => (
          <li key={thing.id}>
            <ThingLink thing={thing.id} name={thing.name} />{' '}
            <a class="type" href={href('memory', '', query ? {query, type: thing.type} : {type: thing.type})}>
              <Data text={thing.type} />
            </a>
          </li>
        ))}
      </ul>
      {pages.more ? <button onClick={pages.more}>More things</button> : null}
    </section>
  );
}

export function MemoryView({query, me}: {query: URLSearchParams; me: Me}) {
  const words = query.get('query') ?? '';
  const type = query.get('type') ?? '';
  const [text, setText] = useState(words);
  const search = (event: Event) => {
    event.preventDefault();
    const asked: Record<string, string> = {};
    if (text.trim()) asked['query'] = text.trim();
    if (type) asked['type'] = type;
    location.hash = href('memory', '', asked);
  };
  return (
    <>
      <form class="row" role="search" onSubmit={search}>
        <label class="grow">
          Search memories and things
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button class="main">Search</button>
      </form>
      <div class="halves">
        <Memories query={words} one={query.get('id') ?? ''} me={me} />
        <Things query={words} type={type} />
      </div>
    </>
  );
}
