import { RedisBrokerError } from '../errors.ts';
import type { RedisLink } from './redis-link.ts';

/** How long a command waits for the append-only file, in ms; 0 would be without limit. */
const WAIT_AOF_MS = 10_000;

/**
 * Opens a link whose commands resolve once the append-only file has what they wrote. It has its own connection, because the wait
 * blocks all commands of a connection.
 *
 * @param closing - closes it
 * @throws {RedisBrokerError} `REDIS_NOT_DURABLE`, from `send`
 */
export async function openDurable(link: RedisLink, closing: AbortSignal): Promise<RedisLink> {
  const { sendPair, close } = await link.openSecond(closing);
  const sendDurably: RedisLink['send'] = async (key, args) => {
    // Over one connection: WAITAOF waits for the writes of its own connection only.
    const [reply, files] = await sendPair(key, [args, ['WAITAOF', '1', '0', `${WAIT_AOF_MS}`]]);
    const [local = 0] = files as readonly number[]; // local, replicas
    if (local < 1) throw new RedisBrokerError('REDIS_NOT_DURABLE', NOT_DURABLE);
    return reply;
  };
  const { sendAll: _, ...rest } = link; // it would not wait for the file
  return { ...rest, send: sendDurably, close };
}

const NOT_DURABLE = `The append-only file was not written within ${WAIT_AOF_MS} ms. The server has the submitted runs; submit them again to be sure.`;
