// A thing: what is stated of it and the links to it, its neighbours as a picture, and its timeline.
import {useState} from 'preact/hooks';
import {get, type Fact, type Facts, type History, type Me} from './api';
import {kip} from './kip';
import {TellForm} from './memory';
import {MergeButton} from './merge';
import {Picture} from './picture';
import {WhyOf} from './proof';
import {go, href} from './route';
import {Data, Dialog, Fault, Origin, ThingLink, useLoaded, visible, When} from './text';
import {EntryCard} from './changes';
import {UndoButton} from './undo';

const isAttribute = (fact: Fact) => fact.predicate.startsWith('.');

// The command that takes a fact back, as KIP has it: what it names stands in the parameters.
function withdrawal(fact: Fact): {command: string; parameters: Record<string, string>} {
  if (isAttribute(fact)) {
    return {
      command: `DELETE ATTRIBUTES {${JSON.stringify(fact.predicate.slice(1))}} FROM ?x WHERE { ?x {id: :s} }`,
      parameters: {s: fact.subject_id},
    };
  }
  return {
    command: `DELETE PROPOSITIONS ?l WHERE { ?l ({id: :s}, ${JSON.stringify(fact.predicate)}, {id: :o}) }`,
    parameters: {s: fact.subject_id, o: fact.object_id ?? ''},
  };
}

function WithdrawFact({fact, onEnd}: {fact: Fact; onEnd: (done: boolean) => void}) {
  const [error, setError] = useState<unknown>();
  const tried = useLoaded(() => kip({...withdrawal(fact), dry_run: true}), []);
  return (
    <Dialog title="Withdraw a fact" onClose={() => onEnd(false)}>
      <p class="said">
        <FactText fact={fact} />
      </p>
      {tried.value ? (
        <ul class="lines">
          {Object.entries(tried.value).map(([name, value]) => (
            <li>
              would be {name.replaceAll('_', ' ')}: <Data text={String(value)} />
            </li>
          ))}
        </ul>
      ) : null}
      <p class="quiet">Whoever stated it, it holds no more then. It can be undone.</p>
      <Fault error={tried.error ?? error} />
      <p class="row">
        <button
          class="danger"
          disabled={!tried.value}
          onClick={() => kip(withdrawal(fact)).then(() => onEnd(true), setError)}
        >
          Withdraw it
        </button>
        <button onClick={() => onEnd(false)}>Leave it</button>
      </p>
    </Dialog>
  );
}

function FactText({fact}: {fact: Fact}) {
  return (
    <>
      <Data text={fact.subject} /> <em><Data text={fact.predicate} /></em> <Data text={fact.object} />
    </>
  );
}

// What a fact says beside the thing of the page, whose name stands above.
function FactLine({fact, of}: {fact: Fact; of: Facts}) {
  const out = fact.subject_id === of.entity;
  return (
    <p class="line">
      {out ? null : <ThingLink thing={fact.subject_id} name={fact.subject} />}{' '}
      <em>
        <Data text={fact.predicate} />
      </em>{' '}
      {fact.object_id && fact.object_id !== of.entity ? (
        <ThingLink thing={fact.object_id} name={fact.object} />
      ) : (
        <strong>
          <Data text={fact.object} />
        </strong>
      )}
      {fact.valid_from || fact.valid_to ? (
        <span class="origin">
          {' '}
          holds {fact.valid_from ? <>from <When time={fact.valid_from} /> </> : null}
          {fact.valid_to ? <>to <When time={fact.valid_to} /></> : null}
        </span>
      ) : null}
    </p>
  );
}

function FactRow({fact, of, me, onChanged}: {fact: Fact; of: Facts; me: Me; onChanged: () => void}) {
  const [why, setWhy] = useState(false);
  const [doing, setDoing] = useState(false);
  const said = visible(`${fact.subject} ${fact.predicate} ${fact.object}`);
  return (
    <li class="factrow">
      <FactLine fact={fact} of={of} />
      <Origin {...fact} />
      <p class="row">
        <button aria-expanded={why} aria-label={`Why? ${said}`} onClick={() => setWhy(!why)}>
          Why?
        </button>
        {me.may_write && fact.entry ? (
          <button aria-label={`Withdraw … ${said}`} onClick={() => setDoing(true)}>
            Withdraw …
          </button>
        ) : null}
      </p>
      {why ? (
        <div class="below">
          <WhyOf about={fact.rule_text ?? said} />
        </div>
      ) : null}
      {doing ? (
        <WithdrawFact
          fact={fact}
          onEnd={(done) => {
            setDoing(false);
            if (done) onChanged();
          }}
        />
      ) : null}
    </li>
  );
}

const kShownFirst = 100;

function FactList({name, list, of, me, onChanged}: {
  name: string;
  list: Fact[];
  of: Facts;
  me: Me;
  onChanged: () => void;
}) {
  const [all, setAll] = useState(false);
  if (list.length === 0) return null;
  const shown = all ? list : list.slice(0, kShownFirst);
  return (
    <>
      <h3>
        {name} ({list.length})
      </h3>
      <ul class="plain">
        {shown.map((fact) => (
          <FactRow
            key={`${fact.subject_id} ${fact.predicate} ${fact.object_id ?? fact.object}`}
            fact={fact}
            of={of}
            me={me}
            onChanged={onChanged}
          />
        ))}
      </ul>
      {shown.length < list.length ? (
        <button onClick={() => setAll(true)}>{list.length - shown.length} more</button>
      ) : null}
    </>
  );
}


function Timeline({of, asOf, me}: {of: string; asOf: string; me: Me}) {
  const query: Record<string, string> = {about: of};
  if (asOf) query['as_of'] = asOf;
  const history = useLoaded(() => get<History>('/v1/history', query), [of, asOf]);
  const entries = [...(history.value?.entries ?? [])].reverse();
  return (
    <section aria-label="Timeline">
      <h2>Timeline</h2>
      <Fault error={history.error} />
      <ul class="plain">
        {entries.map((entry) => (
          <EntryCard key={entry.sequence} change={entry} me={me} onUndone={history.again}>
            <a href={href('thing', of, {as_of: String(entry.sequence)})}>as it was then</a>
          </EntryCard>
        ))}
      </ul>
    </section>
  );
}

export function ThingView({of, query, me}: {of: string; query: URLSearchParams; me: Me}) {
  const asOf = query.get('as_of') ?? '';
  const merged = query.has('merged');
  const [when, setWhen] = useState(asOf);
  const [undone, setUndone] = useState(0);
  const [withdrawn, setWithdrawn] = useState(false);
  const asked: Record<string, string> = {about: of, limit: '1000'};
  if (asOf) asked['as_of'] = asOf;
  const facts = useLoaded(() => get<Facts>('/v1/facts', asked), [of, asOf, undone]);
  const again = () => setUndone((before) => before + 1);
  if (facts.error && !facts.value) {
    return (
      <>
        <h1 tabIndex={-1}><Data text={of} /></h1>
        <Fault error={facts.error} />
        {asOf ? <a href={href('thing', of)}>as it is now</a> : null}
      </>
    );
  }
  const value = facts.value;
  if (!value) return <h1 tabIndex={-1}><Data text={of} /></h1>;
  const sorted = [...value.facts].sort((a, b) => (a.predicate < b.predicate ? -1 : a.predicate > b.predicate ? 1 : 0));
  const out = sorted.filter((fact) => fact.subject_id === value.entity);
  const kinds: [string, Fact[]][] = [
    ['Values', out.filter((fact) => !fact.object_id)],
    ['Links', out.filter((fact) => fact.object_id)],
    ['Links to it', sorted.filter((fact) => fact.subject_id !== value.entity)],
  ];
  const writes: Me = asOf ? {...me, may_write: false} : me;
  return (
    <>
      <h1 tabIndex={-1}>
        <Data text={value.name || value.entity} />
      </h1>
      <p class="row">
        {value.type ? (
          <a class="type" href={href('memory', '', {type: value.type})}>
            <Data text={value.type} />
          </a>
        ) : null}
        <code>{value.entity}</code>
        <a href={href('ask', '', {question: `what do you know about ${value.name}`})}>Ask about it</a>
        {writes.may_write ? <MergeButton of={value} /> : null}
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          go('thing', of, when.trim() ? {as_of: when.trim()} : {});
        }}
      >
        <label>
          As of
          <input
            value={when}
            placeholder="now, 2026-11-01, yesterday, 120"
            onInput={(event) => setWhen(event.currentTarget.value)}
          />
        </label>
        <button>Look</button>
        {asOf ? <a href={href('thing', of)}>as it is now</a> : null}
      </form>
      {writes.may_write ? (
        <TellForm label="Say what is right" example={`${value.name} works at Initech`} onTold={again} />
      ) : null}
      {withdrawn || merged ? (
        <p role="status" class="row">
          {withdrawn ? 'It is withdrawn.' : 'The two are one now.'}{' '}
          <UndoButton
            entries="last"
            onDone={() => {
              setWithdrawn(false);
              if (merged) go('thing', of);
              again();
            }}
          />
        </p>
      ) : null}
      <section aria-label="Facts">
        <h2>Facts ({value.facts.length + value.left_out})</h2>
        {value.left_out > 0 ? <p class="quiet">{value.left_out} more are not shown.</p> : null}
        {value.facts.length === 0 ? <p class="quiet">Nothing is stated of it.</p> : null}
        {kinds.map(([name, list]) => (
          <FactList
            name={name}
            list={list}
            of={value}
            me={writes}
            onChanged={() => {
              setWithdrawn(true);
              again();
            }}
          />
        ))}
      </section>
      <Picture of={value} />
      <Timeline key={undone} of={of} asOf={asOf} me={writes} />
    </>
  );
}
