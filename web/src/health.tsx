// Health: whether the space can be read and written, its sizes, and what the server did.
import {useEffect, useState} from 'preact/hooks';
import {get, Problem, request} from './api';
import {SleepSection} from './sleep';
import {Data, Fault, Table, useLoaded} from './text';

const kEvery = 10_000; // ms

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

// The text format of Prometheus, as far as our own server writes it.
export function samplesOf(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const found = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!found) continue;
    const labels: Record<string, string> = {};
    for (const each of (found[2] ?? '').matchAll(/([a-z]+)="([^"]*)"/g)) labels[each[1]!] = each[2]!;
    samples.push({name: found[1]!, labels, value: Number(found[3])});
  }
  return samples;
}

const kSizes: [string, string, boolean][] = [
  ['anima_log_entries', 'Entries of the log', false],
  ['anima_log_bytes', 'Size of the log', true],
  ['anima_base_bytes', 'Size of the base', true],
  ['anima_base_lag_entries', 'Entries the base does not hold yet', false],
  ['anima_heap_bytes', 'Memory of what is newer than the base', true],
  ['anima_concepts', 'Things', false],
  ['anima_propositions', 'Links', false],
  ['anima_assertions', 'Statements, each as often as stated', false],
  ['anima_approvals_waiting', 'Calls that wait for the owner', false],
  ['anima_http_connections', 'Open connections', false],
  ['anima_http_streams', 'Streams', false],
  ['anima_mcp_sessions', 'Sessions of MCP', false],
];

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), 4);
  return `${(bytes / 1024 ** power).toFixed(1)} ${['', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`;
}

function Requests({samples}: {samples: Sample[]}) {
  const routes = new Map<string, {count: number; failed: number; seconds: number; timed: number}>();
  const of = (route: string) => {
    const found = routes.get(route) ?? {count: 0, failed: 0, seconds: 0, timed: 0};
    routes.set(route, found);
    return found;
  };
  for (const one of samples) {
    const route = one.labels['route'];
    if (!route) continue;
    if (one.name === 'anima_http_requests_total') {
      of(route).count += one.value;
      if (Number(one.labels['status']) >= 400) of(route).failed += one.value;
    }
    if (one.name === 'anima_http_request_seconds_sum') of(route).seconds += one.value;
    if (one.name === 'anima_http_request_seconds_count') of(route).timed += one.value;
  }
  return (
    <Table name="Requests" head={['Route', 'Answered', 'Refused or failed', 'Mean time']}>
      {[...routes].sort().map(([route, told]) => (
        <tr>
          <td>
            <Data text={route} />
          </td>
          <td class="number">{told.count}</td>
          <td class="number">{told.failed}</td>
          <td class="number">
            {told.timed > 0 ? `${((1000 * told.seconds) / told.timed).toFixed(1)} ms` : ''}
          </td>
        </tr>
      ))}
    </Table>
  );
}

async function readiness(): Promise<{ready: boolean; text: string}> {
  try {
    return {ready: true, text: await (await request('GET', '/readyz')).text()};
  } catch (error) {
    if (error instanceof Problem) return {ready: false, text: error.detail};
    throw error;
  }
}

export function HealthView() {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTurn((before) => before + 1), kEvery);
    return () => clearInterval(timer);
  }, []);
  const ready = useLoaded(readiness, [turn]);
  const metrics = useLoaded(async () => samplesOf(await (await request('GET', '/metrics')).text()), [turn]);
  const statistics = useLoaded(() => get<Record<string, number>>('/v1/statistics'), [turn]);
  const [kept, setKept] = useState<Sample[]>([]);
  useEffect(() => {
    if (metrics.value) setKept(metrics.value);
  }, [metrics.value]);
  const told = (name: string) => kept.find((one) => one.name === name)?.value;
  return (
    <>
      <p role="status">
        {ready.value ? (
          <span class={ready.value.ready ? 'mark good' : 'mark bad'}>
            {ready.value.ready ? 'It can be read and written.' : <Data text={ready.value.text} />}
          </span>
        ) : (
          <span class="quiet">looking …</span>
        )}
      </p>
      <Fault error={metrics.error ?? statistics.error} />
      <section aria-label="Sizes">
        <h2>Sizes</h2>
        <Table name="Sizes" head={['What', 'How much']}>
          {kSizes.map(([name, label, bytes]) => (
            <tr>
              <th scope="row">{label}</th>
              <td class="number">
                {told(name) === undefined ? '' : bytes ? size(told(name)!) : String(told(name))}
              </td>
            </tr>
          ))}
          {(['literals', 'graphs'] as const).map((name) => (
            <tr>
              <th scope="row">{name === 'literals' ? 'Values' : 'Graphs'}</th>
              <td class="number">{statistics.value?.[name] ?? ''}</td>
            </tr>
          ))}
        </Table>
      </section>
      <SleepSection />
      <section aria-label="Requests">
        <h2>Requests since the server began</h2>
        <Requests samples={kept} />
      </section>
    </>
  );
}
