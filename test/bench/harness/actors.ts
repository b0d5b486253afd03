import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Actor, Response } from './protocol.ts';

const VERBS = [
  ...(['open', 'submit', 'trickle', 'start', 'done', 'untilSettled', 'finish', 'count', 'look'] as const),
  'close',
] satisfies readonly (keyof Actor)[];

const started = new Map<string, { readonly actor: Actor; readonly child: ChildProcess }>();

/** The process of a contender, started when it is first asked for and kept warm. @param role - tells several apart */
export function actorOf(contender: string, role: number | 'producer' = 0): Actor {
  const key = `${contender} ${role}`;
  const known = started.get(key);
  if (known !== undefined) return known.actor;
  const child = fork(join(import.meta.dirname, 'actor.mjs'), [], {
    serialization: 'advanced',
    execArgv: ['--no-warnings'],
  });
  const actor = speakTo(child);
  started.set(key, { actor, child });
  return actor;
}

/** Ends all processes of a contender, or of all. */
export function endActors(contender?: string): void {
  for (const [key, { child }] of started) {
    if (contender !== undefined && !key.startsWith(`${contender} `)) continue;
    child.kill('SIGKILL');
    started.delete(key);
  }
}

function speakTo(child: ChildProcess): Actor {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let asked = 0;
  child.on('message', (response: Response) => {
    const { resolve, reject } = waiting.get(response.id) ?? {};
    waiting.delete(response.id);
    if ('error' in response) reject?.(new Error(response.error));
    else resolve?.(response.result);
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`The process ended: ${code ?? signal}.`));
  });
  const ask =
    (verb: keyof Actor) =>
    (...args: readonly unknown[]) =>
      new Promise((resolve, reject) => {
        asked += 1;
        waiting.set(asked, { resolve, reject });
        child.send({ id: asked, verb, args });
      });
  return Object.fromEntries(VERBS.map((verb) => [verb, ask(verb)])) as unknown as Actor; // each verb by its name
}
