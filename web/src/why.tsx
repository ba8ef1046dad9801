// Why: from a fact to what it rests on, to who stated it, to the entry; or why a call was refused.
import {useState} from 'preact/hooks';
import {send} from './api';
import {WhyOf} from './proof';
import {go} from './route';
import {Data, Fault, useLoaded, When} from './text';

// Of what was refused the server tells the id: hexadecimal digits.
const isRefusal = (about: string) => /^[0-9a-f-]{4,}$/.test(about);

interface RefusalTold {
  id: string;
  time: string;
  details: unknown;
}

function Refusal({id}: {id: string}) {
  const told = useLoaded(() => send<RefusalTold>('POST', '/v1/why', {about: id}), [id]);
  if (told.error) return <Fault error={told.error} />;
  if (!told.value) return null;
  return (
    <div>
      <p>
        Refused <When time={told.value.time} />
      </p>
      <pre tabIndex={0}>
        <Data text={JSON.stringify(told.value.details, null, 2)} />
      </pre>
    </div>
  );
}

export function WhyView({about}: {about: string}) {
  const [text, setText] = useState(about);
  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim()) go('why', '', {about: text.trim()});
        }}
      >
        <label class="grow">
          A fact, in words or as rules write it, or the id of a refusal
          <input
            value={text}
            placeholder={'Ada works_at Initech'}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button class="main">Why?</button>
      </form>
      {about ? (
        <article>
          <h2>
            <Data text={about} />
          </h2>
          {isRefusal(about) ? <Refusal id={about} /> : <WhyOf about={about} />}
        </article>
      ) : (
        <p class="quiet">
          The proof shows each step, the rule that made it, and who stated what it rests on. Facts have a “Why?” of
          their own at Memory and in the answers of Ask.
        </p>
      )}
    </>
  );
}
