import { definePolicy, explain } from '@retry/core';
import * as families from '@retry/core/errors';
import { describe, expect, it } from 'vitest';

/** Which half of all families an error is in, and whether it is retried where repeating is harmless. */
function judge(code: string, message: string): readonly [boolean, string | undefined] {
  const policy = definePolicy({ retryOn: Object.values(families).flat() });
  const { retries, half } = explain(policy, Object.assign(new Error(message), { code }));
  return [retries, half];
}

/** What nodemailer 10.6.1 threw when a server answered a command with 421 or 451 instead of yes. */
const BEFORE_THE_MESSAGE: readonly (readonly [string, string, string])[] = [
  ['a connection', 'EPROTOCOL', 'Invalid greeting. response=REPLY: REPLY'],
  ['HELO', 'EPROTOCOL', 'Invalid HELO. response=REPLY: REPLY'],
  ['AUTH', 'EAUTH', 'Invalid login: REPLY'],
  ['MAIL', 'EENVELOPE', 'Mail command failed: REPLY'],
  ['RCPT', 'EENVELOPE', "Can't send mail - all recipients were rejected: REPLY"],
  ['DATA', 'EENVELOPE', 'Data command failed: REPLY'],
];
const WITH_THE_MESSAGE = [['the message', 'EMESSAGE', 'Message failed: REPLY']] as const;

describe('smtp', () => {
  it.each(BEFORE_THE_MESSAGE)('knows that nothing was sent after a 4yz to %s', (_at, code, message) => {
    for (const reply of ['421 4.3.2 shutting down', '451 4.7.1 try later']) {
      expect(judge(code, message.replaceAll('REPLY', reply))).toEqual([true, 'notApplied']);
    }
  });

  it('knows that nothing was sent when a server shuts down at EHLO', () => {
    const message = 'Server terminates connection. response=421 4.3.2 shutting down: 421 4.3.2 shutting down';

    expect(judge('ECONNECTION', message)).toEqual([true, 'notApplied']);
  });

  it.each([
    ['EMESSAGE', 'Message failed: 451 4.7.1 try later'],
    ['ECONNECTION', 'Server closed the connection: 421 4.3.2 shutting down'],
    ['ECONNECTION', 'Connection closed unexpectedly'],
  ])('does not say so after the message: %s %s', (code, message) => {
    expect(judge(code, message)).toEqual([true, 'ambiguous']);
  });

  it.each([...BEFORE_THE_MESSAGE, ...WITH_THE_MESSAGE])(
    'does not match a 5yz to %s, whatever its text says',
    (_at, code, message) => {
      expect(judge(code, message.replaceAll('REPLY', '550 5.1.1 no: 451 here'))[0]).toBe(false);
    },
  );
});
