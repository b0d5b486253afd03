import { executions, span, value, where } from '../option.ts';
import { defineSystem, list, type System } from '../system.ts';
import { asNak, asSpans } from '../texts.ts';

/** NATS JetStream: redelivery to a consumer. */
export const natsJetstream: System = /* @__PURE__ */ defineSystem({
  name: 'nats-jetstream',
  title: 'NATS JetStream',
  version: '2.9.10',
  fidelity: 'exact',
  remarks: [
    '`nak()` is redelivered at once; `nak(delay)` waits also what `backoff` grew by since its first entry, and counts against `max_ack_pending` until then.',
  ],
  options: {
    max_deliver: where(
      0,
      Infinity,
      where(-1, Infinity, executions(Infinity, 'all deliveries; 0 or -1: no limit')),
    ),
    ack_wait: span('30s', 'the time to acknowledge, after which it is delivered again'),
    backoff: value(
      { unit: 'list of texts', parse: asSpans, must: 'lengths of time: "1s,5s" or ["1s", "5s"]' },
      undefined,
      'times instead of `ack_wait`; the last one repeats',
    ),
    reaction: value(
      { unit: 'text', parse: asNak, must: '"nak()" or "nak(3000)"' },
      undefined,
      'what a handler does: nothing, or `nak(ms)`',
    ),
  },
  policy: ({ max_deliver, ack_wait, backoff, reaction }) => {
    const times = backoff ?? [ack_wait];
    const [first = 0] = times;
    if (reaction === 0) return { maxAttempts: max_deliver, backoff: { type: 'none' } };
    return {
      maxAttempts: max_deliver,
      backoff: list(times.map((time) => (reaction === undefined ? time : reaction + time - first))),
    };
  },
});
