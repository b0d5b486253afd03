import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createQueue, defineTask } from '@retry/worker';
import { engineOf } from '../../chaos/engines.ts';

/** Of both workers, in ms. The block lasts for four leases from when the other worker is alive. */
const LEASE_MS = 1_500;
const BLOCK_MS = 4 * LEASE_MS;

/** How long a way may take in all, in ms. */
const PATIENCE_MS = 120_000;

/** How long a program may take to end by itself, in ms. */
const END_MS = 10_000;

/** A program to be run. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A way in which users run a worker. */
export interface Way extends Program {
  readonly name: string;
  readonly engine: string;
  /** Who is to renew the leases; `lost`: the loop, because the program asks for that. */
  readonly renewal: 'thread' | 'loop' | 'lost';
  /** What the warning advises, where the loop renews though a thread was asked for. */
  readonly cure?: string;
  /** The block computes all the time. */
  readonly burns?: boolean;
  readonly neighbour: Program;
}

/** One line of a program. */
interface Fact {
  readonly type: string;
  readonly isNeighbour?: boolean;
  readonly [fact: string]: unknown;
}

/** Runs a program that blocks the event loop, another worker beside it. @returns what was not as it should be */
export async function play(way: Way, address: string, folder: string): Promise<readonly string[]> {
  const { engine, burns = false, renewal } = way;
  const name = `blocked_${randomUUID().replaceAll('-', '')}`;
  const broker = await engineOf(engine).connect(address, name);
  const facts = join(folder, `${name}.facts`);
  const lively = join(folder, `${name}.lively`);
  const leaseRenewal = renewal === 'lost' ? { leaseRenewal: 'loop' } : {};
  const options = { lease: LEASE_MS, cleanerInterval: 200, ...leaseRenewal };
  const place = { ...{ engine, url: address, name, facts, lively, burns, options }, blockMs: BLOCK_MS };
  const task = defineTask({ name: 'blocking', run: () => {} });
  const { id } = await createQueue({ broker }).submit(task, null);
  const read = (): readonly Fact[] => readFacts(facts);
  const blocking = start(way, place);
  const has = (type: string, isNeighbour = false): boolean =>
    read().some((fact) => fact.type === type && (fact.isNeighbour ?? false) === isNeighbour);
  let neighbour: Started | undefined;
  try {
    const patience = performance.now() + PATIENCE_MS;
    const until = async (isThere: () => boolean): Promise<boolean> => {
      while (!isThere() && performance.now() < patience && !blocking.hasEnded()) await rest(50);
      return isThere();
    };
    if (!(await until(() => has('start')))) return [`The handler was not called. ${blocking.said()}`];
    neighbour = start(way.neighbour, { ...place, isNeighbour: true });
    const isDone = await until(() => has('end') && (has('completed') || has('fenced')));
    if (!existsSync(lively)) return [`The other worker did not work. ${neighbour.said()}`];
    if (!isDone) return [`It did not end. ${JSON.stringify(read())} ${blocking.said()}`];
    const [run] = await broker.get([id]);
    return judge(read(), way, { state: run?.state, epoch: run?.epoch });
  } finally {
    await Promise.all([blocking.end(), neighbour?.end()]);
    await broker.close();
  }
}

function judge(
  facts: readonly Fact[],
  { renewal, cure }: Way,
  run: Readonly<Record<string, unknown>>,
): readonly string[] {
  const count = (type: string): number => facts.filter((fact) => fact.type === type).length;
  const warnings = facts.filter(
    ({ code, isNeighbour }) => code === 'RETRY_LEASES_ON_LOOP' && isNeighbour !== true,
  );
  const isKept = renewal === 'thread';
  const found = {
    leaseRenewal: facts.find(({ type }) => type === 'start')?.['leaseRenewal'],
    warnings: warnings.length,
    isCureThere: cure === undefined || `${warnings[0]?.['detail']}`.includes(cure),
    ...{ executions: count('start'), stalls: count('stalled'), fenced: count('fenced'), ...run },
  };
  const expected = {
    leaseRenewal: isKept ? 'thread' : 'loop',
    warnings: renewal === 'loop' ? 1 : 0,
    isCureThere: true,
    ...(isKept ? { executions: 1, stalls: 0, fenced: 0 } : { executions: 2, stalls: 1, fenced: 1 }),
    ...{ state: 'completed', epoch: isKept ? 1 : 2 },
  };
  if (isDeepStrictEqual(found, expected)) return [];
  const lines = facts.map((fact) => JSON.stringify(fact));
  return [`found    ${JSON.stringify(found)}`, `expected ${JSON.stringify(expected)}`, ...lines];
}

interface Started {
  readonly hasEnded: () => boolean;
  readonly said: () => string;
  /** Ends it, kindly at first: a process manager has children. */
  readonly end: () => Promise<void>;
}

function start({ command, args, cwd, env }: Program, place: object): Started {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env, BLOCKED: JSON.stringify(place) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  let hasEnded = false;
  const exited = new Promise<void>((resolve) => {
    const onEnd = (): void => {
      hasEnded = true;
      resolve();
    };
    child.once('exit', onEnd);
    child.once('error', (error) => {
      said += error.message;
      onEnd();
    });
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    hasEnded: () => hasEnded,
    said: () => said,
    end: async () => {
      child.kill('SIGINT');
      const cancelled = new AbortController();
      const late = rest(END_MS, undefined, { signal: cancelled.signal }).then(kill, () => {});
      await exited;
      cancelled.abort();
      await late;
      process.removeListener('exit', kill);
    },
  };
}

function readFacts(path: string): readonly Fact[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line): Fact => JSON.parse(line));
}
