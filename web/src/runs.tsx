// Runs: what agents did, cycle by cycle, with every candidate and its scores; new cycles are shown as they come.
import {useEffect, useState} from 'preact/hooks';
import {get, type AnsweredRun, type Me, type Run} from './api';
import {href} from './route';
import {Data, EntryLink, Fault, Table, useLoaded, When} from './text';

const kEvery = 2000; // ms
const kMostKept = 200;

interface Candidate {
  tool: string;
  score: number;
  base: number;
  recency: number;
  novelty: number;
  episodic: number;
  pressure: number;
  archetype: number;
  planned: boolean;
  reasoning: string;
}

interface Cycle {
  entry: number;
  time: string;
  cycle: number;
  goal: string;
  strategy: string;
  tool: string;
  candidates: Candidate[];
  success: boolean;
  result: string;
  progress: string;
  progress_reason: string;
  goal_status: string;
  facts_written: number;
  impasse: string | null;
  vetoed_by: string | null;
}

type RunTold = Omit<AnsweredRun, 'cycles'> & {cycles: Cycle[]};

// What was told of a run so far.
interface Seen {
  cycles: number;
  steps: number;
  tools: number;
  models: number;
}

const kTerms = ['base', 'recency', 'novelty', 'episodic', 'pressure', 'archetype'] as const;

function Scores({cycle}: {cycle: Cycle}) {
  return (
    <details>
      <summary>What was weighed: {cycle.candidates.length}</summary>
      <Table name={`Candidates of cycle ${cycle.cycle}`} head={['Tool', 'Score', ...kTerms, 'Because']}>
        {cycle.candidates.map((one) => (
          <tr>
            <th scope="row">
              <Data text={one.tool} />
              {one.planned ? ' (planned)' : ''}
            </th>
            <td class="number">{one.score.toFixed(2)}</td>
            {kTerms.map((term) => (
              <td class="number">{one[term].toFixed(2)}</td>
            ))}
            <td>
              <Data text={one.reasoning} />
            </td>
          </tr>
        ))}
      </Table>
    </details>
  );
}

function CycleCard({cycle}: {cycle: Cycle}) {
  return (
    <li class="card">
      <p class="row">
        <strong>Cycle {cycle.cycle}</strong>{' '}
        <span class={cycle.success ? 'mark good' : 'mark bad'}>{cycle.success ? 'done' : 'failed'}</span>{' '}
        <When time={cycle.time} /> <EntryLink entry={cycle.entry} />
      </p>
      <p>
        <Data text={cycle.goal} /> <span class="mark"><Data text={cycle.goal_status} /></span>{' '}
        <span class="quiet">
          <Data text={cycle.progress.replaceAll('_', ' ')} /> <Data text={cycle.progress_reason} />
        </span>
      </p>
      <p>
        <strong>
          <Data text={cycle.tool} />
        </strong>{' '}
        <span class="quiet">
          {cycle.facts_written} facts written {cycle.vetoed_by ? <>; vetoed by <Data text={cycle.vetoed_by} /></> : null}
          {cycle.impasse ? <>; impasse: <Data text={cycle.impasse} /></> : null}
        </span>
      </p>
      {cycle.result ? (
        <pre tabIndex={0}>
          <Data text={cycle.result} />
        </pre>
      ) : null}
      <Scores cycle={cycle} />
    </li>
  );
}

export function RunView({of}: {of: string}) {
  const [run, setRun] = useState<RunTold>();
  const [cycles, setCycles] = useState<Cycle[]>([]);
  const [seen, setSeen] = useState<Seen>({cycles: 0, steps: 0, tools: 0, models: 0});
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    let wanted = true, after = 0, timer = 0;
    const look = () =>
      get<RunTold>(`/v1/runs/${encodeURIComponent(of)}`, {after: String(after), limit: '100'}).then(
        (told) => {
          if (!wanted) return;
          setRun(told);
          setError(undefined);
          const came = told.cycles;
          after = told.last;
          setSeen((before) => ({
            cycles: before.cycles + came.length,
            steps: before.steps + told.steps,
            tools: before.tools + told.calls.tools,
            models: before.models + told.calls.models,
          }));
          setCycles((before) => [...[...came].reverse(), ...before].slice(0, kMostKept));
          timer = window.setTimeout(look, told.more > 0 ? 0 : kEvery);
        },
        (wrong: unknown) => {
          if (!wanted) return;
          setError(wrong);
          timer = window.setTimeout(look, 5 * kEvery);
        },
      );
    void look();
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [of]);
  return (
    <>
      <h1 tabIndex={-1}>
        Run <Data text={of} />
      </h1>
      <Fault error={error} />
      {run ? (
        <p class="row">
          <Data text={run.agent} /> <When time={run.time} />{' '}
          <span class="quiet">
            {seen.cycles} cycles, {seen.steps} steps; {seen.tools} answers of tools, {seen.models} of models
          </span>
        </p>
      ) : null}
      <ul class="plain" aria-label="Cycles" aria-live="polite">
        {cycles.map((cycle) => (
          <CycleCard key={cycle.entry} cycle={cycle} />
        ))}
      </ul>
      {run && cycles.length === 0 ? <p class="quiet">No cycle of it is kept.</p> : null}
    </>
  );
}

export function RunsView({me}: {me: Me}) {
  const sees = me.sees_approvals === 'all';
  const runs = useLoaded(
    async () => (sees ? (await get<{runs: Run[]}>('/v1/runs', {limit: '100'})).runs : []),
    [sees],
  );
  if (!sees)
    return (
      <p>
        Runs are shown to a token that was made with <code>--approvals</code>.
      </p>
    );
  return (
    <>
      <Fault error={runs.error} />
      {runs.value && runs.value.length === 0 ? <p class="quiet">No agent has run here yet: anima agent run</p> : null}
      {runs.value && runs.value.length > 0 ? (
        <Table name="Runs" head={['Run', 'Agent', 'Begun', 'Cycles', 'Steps']}>
          {runs.value.map((run) => (
            <tr>
              <th scope="row">
                <a href={href('run', String(run.run))}>run {run.run}</a>
              </th>
              <td>
                <Data text={run.agent} />
              </td>
              <td>
                <When time={run.time} />
              </td>
              <td class="number">{run.cycle_count}</td>
              <td class="number">{run.steps}</td>
            </tr>
          ))}
        </Table>
      ) : null}
    </>
  );
}
