/** Scenes: real faults, each with what its server's documentation says of a repetition. */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { definePolicy, explain } from '@retry/core';
import * as families from '@retry/core/errors';
import { findFreePort } from '../../support/servers/run-server.ts';
import { reportScenes } from '../installed.ts';

/** What an error is, by what it means for a repetition. */
export type Kind = 'not applied' | 'ambiguous' | 'permanent';

export interface Scene<Given> {
  readonly kind: Kind;
  /** What the error says somewhere: another one does not pass for it. */
  readonly says?: RegExp;
  /** Makes it happen. @throws the error of the driver */
  readonly happen: (given: Given) => Promise<unknown>;
}

const retryOn = Object.values(families).flat();
const ONCE = definePolicy({ retryOn, idempotent: false });
const AGAIN = definePolicy({ retryOn, idempotent: true });

function kindOf(error: unknown): Kind {
  if (explain(ONCE, error).retries) return 'not applied';
  return explain(AGAIN, error).retries ? 'ambiguous' : 'permanent';
}

/** Lets every scene happen, one after the other, and reports those that our families decide otherwise than `kind` says. */
export async function checkScenes<Given>(
  what: string,
  scenes: Readonly<Record<string, Scene<Given>>>,
  given: Given,
): Promise<void> {
  const wrong: string[] = [];
  for (const [name, { kind, says, happen }] of Object.entries(scenes)) {
    const error = await happen(given).then(
      () => undefined,
      (thrown: unknown) => thrown ?? 'nothing',
    );
    if (error === undefined) wrong.push(`${name} did not happen`);
    else if (says?.test(inspect(error, { depth: 5 })) === false)
      wrong.push(`${name}: another error (${String(error)})`);
    else if (kindOf(error) !== kind)
      wrong.push(`${name}: ${kindOf(error)} instead of ${kind} (${String(error)})`);
  }
  reportScenes(what, Object.keys(scenes).length, wrong);
}

/** A server that ends every connection without a word. */
export async function withSilent(use: (port: number) => Promise<unknown>): Promise<unknown> {
  const silent = createServer((socket) => void setTimeout(() => socket.resetAndDestroy(), 50));
  const port = await findFreePort();
  await new Promise<void>((resolve) => void silent.listen(port, '127.0.0.1', resolve));
  try {
    return await use(port);
  } finally {
    silent.close();
  }
}

/** The version that a server's program prints. */
export function versionOf(binary: string): string {
  const text = execFileSync(binary, ['--version'], { encoding: 'utf8' });
  return /\d+\.\d[\w.-]*/.exec(text)?.[0] ?? text.trim();
}
