// Approvals: the calls that wait, and what each would do. They are answered at the owner's terminal, with the key where
// one is needed: this page says how, and has no button for it.
import {useEffect, useState} from 'preact/hooks';
import {get, type Approval, type Me} from './api';
import {href} from './route';
import {Data, Fault, Trust, useLoaded, When} from './text';

const kEvery = 5000; // ms

// Any value, with the names of its members.
function Value({of}: {of: unknown}) {
  if (Array.isArray(of)) {
    return (
      <ol class="lines">
        {of.map((each) => (
          <li>
            <Value of={each} />
          </li>
        ))}
      </ol>
    );
  }
  if (of !== null && typeof of === 'object') {
    return (
      <dl>
        {Object.entries(of).map(([name, value]) => (
          <>
            <dt>
              <Data text={name} />
            </dt>
            <dd>
              <Value of={value} />
            </dd>
          </>
        ))}
      </dl>
    );
  }
  return (
    <span class="value">
      <Data text={typeof of === 'string' ? of : JSON.stringify(of)} />
    </span>
  );
}

// Ids are of hexadecimal digits and "-"; anything else is not put into a command.
function command(what: string, id: string): string {
  return `anima approve ${what} ${/^[0-9a-zA-Z-]+$/.test(id) ? id : 'ID'}`;
}

export function ApprovalView({of}: {of: string}) {
  const approval = useLoaded(() => get<Approval>(`/v1/approvals/${encodeURIComponent(of)}`), [of]);
  const value = approval.value;
  return (
    <>
      <h1 tabIndex={-1}>A call that waits</h1>
      <Fault error={approval.error} />
      {value ? (
        <>
          <dl>
            <dt>What would be called</dt>
            <dd>
              <strong>
                <Data text={value.tool} />
              </strong>
            </dd>
            <dt>By whom</dt>
            <dd>
              <Data text={value.agent} /> <Trust trust={value.trust} />
            </dd>
            <dt>As far trusted as what its values come from</dt>
            <dd>
              <Trust trust={value.effective_trust} />
            </dd>
            <dt>State</dt>
            <dd>
              <Data text={value.status} />
              {value.decided_by ? (
                <>
                  {' '}
                  by <Data text={value.decided_by} />
                </>
              ) : null}
              {value.reason ? (
                <>
                  : <Data text={value.reason} />
                </>
              ) : null}
            </dd>
            <dt>Asked</dt>
            <dd>
              <When time={value.asked} />, until <When time={value.expires} />
            </dd>
          </dl>
          <h2>With these values</h2>
          <Value of={value.arguments} />
          {value.evidence !== undefined ? (
            <>
              <h2>Where they come from, and what it would change</h2>
              <Value of={value.evidence} />
            </>
          ) : null}
          <p class="quiet">
            Fingerprint of the values: <code>{value.arguments_hash}</code>
          </p>
          {value.status === 'pending' ? (
            <section aria-label="How to answer">
              <h2>How to answer it</h2>
              <p>
                In a terminal of the owner’s account. Where the space asks for a key, the command asks for it or for the
                approver’s program: a click proves nothing.
              </p>
              <pre tabIndex={0}>
                {command('show', value.id)}
                {'\n'}
                {command('grant', value.id)}
                {'\n'}
                {command('deny', value.id)}
              </pre>
            </section>
          ) : null}
        </>
      ) : null}
      <p>
        <a href={href('approvals')}>all that wait</a>
      </p>
    </>
  );
}

export function ApprovalsView({query, me}: {query: URLSearchParams; me: Me}) {
  const all = query.get('all') === 'true';
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTurn((before) => before + 1), kEvery);
    return () => clearInterval(timer);
  }, []);
  const list = useLoaded(
    () => get<{approvals: Approval[]}>('/v1/approvals', all ? {all: 'true'} : {}),
    [all, turn],
  );
  const [kept, setKept] = useState<Approval[]>();
  useEffect(() => {
    if (list.value) setKept(list.value.approvals);
  }, [list.value]);
  return (
    <>
      <p class="quiet">
        {me.sees_approvals === 'all'
          ? 'All calls that wait for the owner.'
          : 'The calls of this token that wait. Those of others are shown to a token that was made with --approvals.'}
      </p>
      <p>
        <a href={href('approvals', '', all ? {} : {all: 'true'})}>
          {all ? 'only those that wait' : 'the answered and expired ones, too'}
        </a>
      </p>
      <Fault error={list.error} />
      {kept && kept.length === 0 ? <p>Nothing waits.</p> : null}
      <ul class="plain">
        {(kept ?? []).map((one) => (
          <li class="card" key={one.id}>
            <p class="row">
              <a href={href('approval', one.id)}>
                <Data text={one.tool} />
              </a>
              by <Data text={one.agent} /> <Trust trust={one.effective_trust} /> <When time={one.asked} />
              <span class="mark">
                <Data text={one.status} />
              </span>
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
