import { createHash } from 'node:crypto';
import type { NodeRedisClient } from '@retry/redis-queue';

type Args = readonly (string | Buffer)[];

/**
 * The same client, but each script that it gets is rewritten first: for a clock that a test moves, or for a
 * mistake that a test must notice. Until it has seen the text of a script, it answers that the server has none.
 */
export function rewriteScripts(client: NodeRedisClient, rewrite: (text: string) => string): NodeRedisClient {
  const hashes = new Map<string, string>();
  const load = async (text: string): Promise<string> => {
    const known = hashes.get(text);
    if (known !== undefined) return known;
    const hash = String(await client.sendCommand(['SCRIPT', 'LOAD', rewrite(text)]));
    hashes.set(text, hash);
    return hash;
  };
  const texts = new Map<string, string>();
  const rewriteFor =
    (by: Pick<NodeRedisClient, 'sendCommand'>) =>
    async (args: Args): Promise<unknown> => {
      const [command, script = '', ...rest] = args;
      if (command === 'EVALSHA') {
        const text = texts.get(String(script));
        if (text === undefined) throw new Error('NOSCRIPT the test has not seen it yet');
        return by.sendCommand(['EVALSHA', await load(text), ...rest]);
      }
      if (command !== 'EVAL') return by.sendCommand(args);
      // By its own hash: several scripts may be called before the first text arrives.
      texts.set(createHash('sha1').update(String(script)).digest('hex'), String(script));
      return by.sendCommand(['EVALSHA', await load(String(script)), ...rest]);
    };
  const duplicate = (): ReturnType<NodeRedisClient['duplicate']> => {
    const second = client.duplicate();
    const send = second.sendCommand.bind(second);
    return Object.assign(second, { sendCommand: rewriteFor({ sendCommand: send }) });
  };
  return { sendCommand: rewriteFor(client), duplicate };
}

const CLOCK = "local time = call('TIME')";

/** Makes a script take its time from a key beside its own, in milliseconds. */
export function readClockKey(text: string): string {
  // Some scripts read no clock, among them the one that checks the rights of its user.
  if (text.includes('probe-') || !text.includes("'TIME'")) return text;
  if (!text.includes(CLOCK)) throw new Error('the scripts read their clock in another way by now');
  const read = "local ms = tonumber(call('GET', string.sub(BODY, 1, -5) .. 'clock'))";
  return text.replaceAll(CLOCK, `${read}\nlocal time = { math.floor(ms / 1000), ms % 1000 * 1000 }`);
}
