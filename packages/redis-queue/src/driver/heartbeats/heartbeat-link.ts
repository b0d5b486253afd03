import { isUnknownScript } from '../../store/store.ts';
import { startAwakeTimer } from '../awake-timer.ts';
import { openOnce } from '../open-once.ts';
import type { Argument, RedisLink } from '../redis-link.ts';

/** How long a heartbeat may take over its own connection before it is also sent over the client, in ms. */
const LATE_MS = 1_000;

/** Sends what renews leases. */
export type HeartbeatLink = Pick<RedisLink, 'send' | 'close'>;

/**
 * Opens a link for heartbeats beside a client of the user's: over a second connection, because a handler that sends `BLPOP` over the
 * client, or opens a transaction of its own on it, keeps it from sending anything else. Over the client where the second connection
 * fails or is late; a heartbeat that is sent twice is harmless.
 *
 * @param onError - called when a heartbeat went over the client
 */
export function openHeartbeatLink(
  client: Pick<RedisLink, 'send' | 'openSecond'>,
  onError: (error: unknown) => void,
): HeartbeatLink {
  const closing = new AbortController();
  const second = openOnce(() => client.openSecond(closing.signal));
  const sendSecond = async (key: string, args: readonly Argument[]): Promise<unknown> => {
    const { sendPair } = await second.open();
    // What the pair needs is one reply; the other command needs no right that the broker lacks.
    return (await sendPair(key, [args, ['EXISTS', key]]))[0];
  };
  return {
    send: async (key, args) => {
      try {
        return await inTime(sendSecond(key, args));
      } catch (error) {
        if (isUnknownScript(error)) throw error;
        const reply = await client.send(key, args);
        onError(error);
        return reply;
      }
    },
    close: async () => closing.abort(),
  };
}

async function inTime<Reply>(reply: Promise<Reply>): Promise<Reply> {
  let endTimer = (): void => {};
  const late = new Promise<never>((_, reject) => {
    const message = `the connection for heartbeats was not ready, or did not answer, for ${LATE_MS} ms`;
    endTimer = startAwakeTimer(LATE_MS, () => reject(new Error(message)));
  });
  return Promise.race([reply, late]).finally(endTimer);
}
