import { expect, it } from 'vitest';
import type { RecordedSpan } from '../../docs/pictures/trace.ts';
import { recordedTrace } from '../../docs/pictures/trace.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { receiveTrace } from './show/receive-trace.ts';
import { recordTrace } from './show/record-trace.ts';

/** Returns spans without their instants. */
function withoutTimes(spans: readonly RecordedSpan[]): readonly object[] {
  return spans.map(({ fromMs: _, toMs: __, ...said }) => said);
}

describeOnRedis('the trace in the picture of docs/opentelemetry.md', (server) => {
  it('is one that a collector receives, but for its instants', async () => {
    const { spans } = await receiveTrace(server().url);

    expect(withoutTimes(recordTrace(spans, 'request'))).toEqual(withoutTimes(recordedTrace()));
  });
});
