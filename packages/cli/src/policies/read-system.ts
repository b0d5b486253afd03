import type { Policy } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import type { Dialect } from '@retry/core/dialects';
import type { CliEnvironment } from '../environment.ts';
import { readPolicy, readSource } from './read-policy.ts';
import { SYSTEM_NAMES, systemOf } from './system-names.ts';

/**
 * Reads the options of another system from a file, JSON text or standard input.
 *
 * @param name - what `systemOf` knows, of which commander accepts no other
 * @throws {CliError} `UNREADABLE_FILE`
 * @throws {InvalidOptionsError} when they are not its options; it lists every problem
 */
export async function readSystem(
  name: string,
  source: string,
  environment: CliEnvironment,
): Promise<Dialect> {
  const text = await readSource(source, environment);
  const { ALL_SYSTEMS } = await import('@retry/core/dialects/all');
  const system = ALL_SYSTEMS.find((known) => known.name === systemOf(name, SYSTEM_NAMES));
  if (system === undefined) throw new TypeError(`${name} is listed, and has no dialect`);
  return system.from(parse(text, name));
}

/** Reads a policy, or with `from` the options of that system as a policy. */
export async function readPolicyFrom(
  source: string,
  from: string | undefined,
  environment: CliEnvironment,
): Promise<Policy> {
  if (from === undefined) return readPolicy(source, environment);
  const { policy } = await readSystem(from, source, environment);
  return policy;
}

function parse(text: string, name: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text);
  } catch (error) {
    const cure = error instanceof SyntaxError ? `${error.message}.` : 'Give it JSON text.';
    throw new InvalidOptionsError(
      [{ path: '', value: text, message: 'must be JSON', cure }],
      `${name} options`,
    );
  }
}
