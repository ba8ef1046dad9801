// Ask: a question, how it was read, its answer, the query that was run and the proof; follow-ups go on in the same session.
import {useEffect, useRef, useState} from 'preact/hooks';
import {send, type Answer, type Cell} from './api';
import {WhyOf, ProofTree} from './proof';
import {href} from './route';
import {cellText, Data, Fault, Sure, Table, Trust} from './text';

interface Turn {
  number: number;
  question: string;
  answer?: Answer;
  error?: unknown;
}

function newSession(): string {
  return `page ${crypto.randomUUID()}`;
}

// Outlives a look at another view; gone with the page, and with the token.
const talk = {session: newSession(), turns: [] as Turn[]};
export function forgetTalk() {
  talk.session = newSession();
  talk.turns = [];
}

function Rows({columns, rows}: {columns: string[]; rows: Cell[][]}) {
  if (rows.length === 0) return null;
  return (
    <Table name="Rows of the answer" head={columns}>
      {rows.map((row) => (
        <tr>
          {row.map((cell) => (
            <td>
              <Data text={cellText(cell)} />
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

function Query({language, query}: {language: string; query: string}) {
  if (!query) return null;
  return (
    <details>
      <summary>The query that was run{language ? ` (${language})` : ''}</summary>
      <pre tabIndex={0}>
        <Data text={query} />
      </pre>
    </details>
  );
}

function Readings({answer}: {answer: Answer}) {
  const [chosen, setChosen] = useState(0);
  const reading = answer.readings[chosen];
  if (!reading) return null;
  return (
    <fieldset>
      <legend>It can be read in several ways. Which is meant?</legend>
      {answer.readings.map((one, at) => (
        <label class="row">
          <input type="radio" checked={at === chosen} onChange={() => setChosen(at)} />
          <Data text={one.reading} />
        </label>
      ))}
      {reading.rows.length === 0 ? <p>Read so, there is no row.</p> : null}
      <Rows columns={answer.columns} rows={reading.rows} />
      <Query language="" query={reading.query} />
    </fieldset>
  );
}

// A word that nothing explains, with names that are near it, each the question anew.
function Unknown({turn, ask}: {turn: Turn; ask: (question: string) => void}) {
  return (
    <ul>
      {turn.answer!.unknown.map((word) => (
        <li>
          not known: <strong><Data text={word} /></strong>{' '}
          {(turn.answer!.near[word] ?? []).map((name) => (
            <button onClick={() => ask(turn.question.split(word).join(name))}>
              <Data text={name} />?
            </button>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Proved({answer}: {answer: Answer}) {
  const [fact, setFact] = useState('');
  if (answer.proof.length === 0) return null;
  const flat = answer.proof.every((step) => step.depth === undefined);
  return (
    <details>
      <summary>Why: the proof ({answer.proof.length})</summary>
      <ProofTree steps={answer.proof} />
      {flat ? (
        <p class="row">
          {answer.proof.slice(0, 10).map((step) => (
            <button aria-pressed={fact === step.fact} onClick={() => setFact(step.fact)}>
              Why <Data text={step.fact} />?
            </button>
          ))}
        </p>
      ) : null}
      {fact ? <WhyOf about={fact} /> : null}
    </details>
  );
}

function Answered({turn, ask}: {turn: Turn; ask: (question: string) => void}) {
  const {answer} = turn;
  if (turn.error) return <Fault error={turn.error} />;
  if (!answer) return <p class="quiet">asking …</p>;
  return (
    <>
      <p class="answer">
        <Data text={answer.answer || 'no answer'} /> <Trust trust={answer.trust} />{' '}
        <Sure value={answer.confidence} />
      </p>
      {answer.reading ? (
        <p class="quiet">
          read as: <Data text={answer.reading} />
        </p>
      ) : null}
      <Unknown turn={turn} ask={ask} />
      <Rows columns={answer.columns} rows={answer.rows} />
      <Readings answer={answer} />
      {(answer.contradictions ?? []).map((one) => (
        <p class="bad">
          contradicted: <Data text={one} />
        </p>
      ))}
      {answer.untrusted ? (
        <details>
          <summary>
            {answer.untrusted.rows.length} rows that rest on what is not trusted are left out
          </summary>
          <Rows columns={answer.columns} rows={answer.untrusted.rows} />
          <p class="quiet">
            from <Data text={answer.untrusted.sources.join(', ')} />
          </p>
        </details>
      ) : null}
      {(answer.told ?? []).map((one) => (
        <blockquote>
          <Data text={one.text} /> <Trust trust={one.trust} />{' '}
          <a href={href('memory', '', {id: one.memory})}>the memory</a>
        </blockquote>
      ))}
      <Query language={answer.language} query={answer.query} />
      <Proved answer={answer} />
      {answer.next.length > 0 ? (
        <p class="row">
          {answer.next.map((question) => (
            <button onClick={() => ask(question)}>
              <Data text={question} />
            </button>
          ))}
        </p>
      ) : null}
    </>
  );
}

export function AskView({question: asked}: {question: string}) {
  const [question, setQuestion] = useState('');
  const [asOf, setAsOf] = useState('');
  const [, show] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const again = () => show((before) => before + 1);
  const ask = (text: string) => {
    if (!text.trim()) return;
    const turn: Turn = {number: talk.turns.length + 1, question: text};
    talk.turns.push(turn);
    again();
    const path = asOf ? `/v1/ask?${new URLSearchParams({as_of: asOf})}` : '/v1/ask';
    send<Answer>('POST', path, {question: text, session: talk.session}).then(
      (answer) => {
        turn.answer = answer;
        again();
      },
      (error: unknown) => {
        turn.error = error;
        again();
      },
    );
    setQuestion('');
    input.current?.focus();
  };
  useEffect(() => {
    if (asked) ask(asked);
    else input.current?.focus();
  }, [asked]);
  const submit = (event: Event) => {
    event.preventDefault();
    ask(question);
  };
  return (
    <>
      <form class="row" onSubmit={submit}>
        <label class="grow">
          Question
          <input
            ref={input}
            value={question}
            maxLength={4096}
            placeholder="Where does Ada work?"
            onInput={(event) => setQuestion(event.currentTarget.value)}
          />
        </label>
        <label>
          As of
          <input
            size={12}
            value={asOf}
            placeholder="now"
            onInput={(event) => setAsOf(event.currentTarget.value)}
          />
        </label>
        <button class="main">Ask</button>
        {talk.turns.length > 0 ? (
          <button
            type="button"
            onClick={() => {
              forgetTalk();
              again();
            }}
          >
            Begin anew
          </button>
        ) : null}
      </form>
      {talk.turns.length === 0 ? (
        <p class="quiet">
          Ask in plain words. A follow-up may leave out what it goes on with: “and who lives there?”
        </p>
      ) : null}
      <div aria-live="polite">
        {[...talk.turns].reverse().map((turn) => (
          <article key={turn.number}>
            <h2>
              <Data text={turn.question} />
            </h2>
            <Answered turn={turn} ask={ask} />
          </article>
        ))}
      </div>
    </>
  );
}
