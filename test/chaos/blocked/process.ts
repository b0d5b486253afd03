import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import type { Fact, Place, Rate } from './system.ts';
import type { SystemName } from './systems.ts';

/** What a worker process can be asked: how fast it works, bytes of its memory, milliseconds of processor time. */
export type Question = { readonly of: 'rate'; readonly runs: number } | { readonly of: 'rssBytes' | 'cpuMs' };

/** What a worker process sends. */
export type Response = { readonly fact: Fact } | { readonly answer: unknown };

/** A worker process. */
export interface Member {
  /** What has happened in it so far. */
  readonly facts: () => readonly Fact[];
  readonly rate: (runs: number) => Promise<Rate>;
  readonly read: (of: 'rssBytes' | 'cpuMs') => Promise<number>;
  readonly kill: () => void;
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts a worker process, and waits until it works. */
export async function startMember(system: SystemName, place: Place): Promise<Member> {
  const child = fork(join(import.meta.dirname, 'blocked-member.mjs'), [system, JSON.stringify(place)], {
    execArgv: ['--expose-gc', '--no-warnings'],
  });
  children.add(child);
  const facts: Fact[] = [];
  let onAnswer = (_: unknown): void => {};
  child.on('message', (response: Response) => {
    if ('fact' in response) facts.push(response.fact);
    else onAnswer(response.answer);
  });
  while (!facts.some(({ type }) => type === 'ready')) {
    if (child.exitCode !== null) throw new Error(`A worker process ended with ${child.exitCode}.`);
    await rest(20);
  }
  const ask = (question: Question): Promise<unknown> =>
    new Promise((resolve) => {
      onAnswer = resolve;
      child.send(question);
    });
  return {
    facts: () => facts,
    rate: async (runs) => (await ask({ of: 'rate', runs })) as Rate, // as it answers
    read: async (of) => Number(await ask({ of })),
    kill: () => {
      child.kill('SIGKILL');
      children.delete(child);
    },
  };
}
