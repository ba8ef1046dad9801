// The page of `anima serve`: who looks at it, which view, and the token.
import {render} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {get, token, whenUnknown, type Me} from './api';
import {ApprovalsView, ApprovalView} from './approvals';
import {AskView, forgetTalk} from './ask';
import {ChangesView, EntryView} from './changes';
import {HealthView} from './health';
import {MemoryView} from './memory';
import {href, useRoute, type Route} from './route';
import {Data, Fault, Trust} from './text';
import {RunsView, RunView} from './runs';
import {ThingView} from './thing';
import {WhyView} from './why';

const kViews: [string, string][] = [
  ['ask', 'Ask'],
  ['memory', 'Memory'],
  ['why', 'Why'],
  ['changes', 'Changes'],
  ['approvals', 'Approvals'],
  ['runs', 'Runs'],
  ['health', 'Health'],
];
// Which of them a view below one belongs to.
const kParent = new Map([['thing', 'memory'], ['entry', 'changes'], ['approval', 'approvals'], ['run', 'runs']]);

function View({route, me}: {route: Route; me: Me}) {
  switch (route.view) {
    case 'memory':
      return <MemoryView key={route.query.toString()} query={route.query} me={me} />;
    case 'thing':
      return <ThingView key={route.of + route.query.toString()} of={route.of} query={route.query} me={me} />;
    case 'why':
      return <WhyView key={route.query.toString()} about={route.query.get('about') ?? ''} />;
    case 'changes':
      return <ChangesView query={route.query} me={me} />;
    case 'entry':
      return <EntryView of={route.of} me={me} />;
    case 'approvals':
      return <ApprovalsView query={route.query} me={me} />;
    case 'approval':
      return <ApprovalView of={route.of} />;
    case 'runs':
      return <RunsView me={me} />;
    case 'run':
      return <RunView key={route.of} of={route.of} />;
    case 'health':
      return <HealthView />;
    default:
      return <AskView question={route.query.get('question') ?? ''} />;
  }
}

function Enter({onEnter, error}: {onEnter: () => void; error: unknown}) {
  const [text, setText] = useState('');
  return (
    <main class="enter" id="main">
      <h1>Anima</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          token.set(text.trim());
          onEnter();
        }}
      >
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button class="main">Enter</button>
      </form>
      <Fault error={error} />
      <p>A token is made in a terminal, and shown once:</p>
      <pre tabIndex={0}>anima serve token add NAME --readonly</pre>
      <p class="quiet">
        Without <code>--readonly</code> it may also write. The token stays in this tab, and is gone when you close it.
      </p>
    </main>
  );
}

function Page() {
  const route = useRoute();
  const [me, setMe] = useState<Me>();
  const [error, setError] = useState<unknown>();
  const main = useRef<HTMLElement>(null);
  const arrived = useRef(false);
  const leave = () => {
    token.clear();
    forgetTalk();
    setMe(undefined);
  };
  const enter = () => {
    setError(undefined);
    get<Me>('/v1/me').then(setMe, setError);
  };
  useEffect(() => {
    whenUnknown(leave);
    if (token.get()) enter();
  }, []);
  const current = kParent.get(route.view) ?? (kViews.some(([view]) => view === route.view) ? route.view : 'ask');
  const title = kViews.find(([view]) => view === current)![1];
  const place = `${route.view}/${route.of}`;
  useEffect(() => {
    document.title = `${title} – Anima`;
    // Who goes to another view by keyboard goes on at its beginning.
    if (arrived.current) main.current?.querySelector('h1')?.focus();
    arrived.current = me !== undefined;
  }, [place, me]);
  if (!me) return <Enter onEnter={enter} error={error} />;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => {
        event.preventDefault();
        main.current?.focus();
      }}>
        Skip to the view
      </a>
      <header>
        <nav aria-label="Views">
          {kViews.map(([view, name]) => (
            <a href={href(view)} aria-current={view === current ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <p class="row who">
          <Data text={me.name} /> <Trust trust={me.trust} />{' '}
          <span class="mark">{me.may_write ? 'may write' : 'only reads'}</span>
          <button
            onClick={() => {
              leave();
              setError(undefined);
            }}
          >
            Leave
          </button>
        </p>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {kParent.has(route.view) ? null : <h1 tabIndex={-1}>{title}</h1>}
        <View route={route} me={me} />
      </main>
    </>
  );
}

const root = document.getElementById('page')!;
root.replaceChildren();
render(<Page />, root);
