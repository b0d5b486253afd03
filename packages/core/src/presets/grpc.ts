import { type ErrorFamily, family, globs } from './family.ts';
import { NEVER_CONNECTS } from './permanent.ts';

/**
 * Matches statuses of gRPC that may pass, as grpc-js, nice-grpc, Connect and Google's clients throw them: UNAVAILABLE,
 * RESOURCE_EXHAUSTED, ABORTED (the whole transaction), DEADLINE_EXCEEDED, and a stream that was broken off.
 *
 * @see the guide to status codes of gRPC
 */
export const grpc: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { code: 14, message: globs('*No connection established*', '*ECONNREFUSED*') },
    { code: 10, message: ['ABORTED', '[aborted]'] },
    // Wrappers as that of etcd3 keep the text alone.
    { message: globs('14 UNAVAILABLE: No connection established*', '10 ABORTED: *') },
  ],
  ambiguous: [
    {
      code: 14,
      message: ['UNAVAILABLE', '[unavailable]'],
      unless: { message: globs('*No connection established*', '*ECONNREFUSED*') },
    },
    { code: 8, message: ['RESOURCE_EXHAUSTED', '[resource_exhausted]'] },
    { code: 4, message: ['DEADLINE_EXCEEDED', '[deadline_exceeded]'] },
    {
      message: globs('14 UNAVAILABLE: *', '8 RESOURCE_EXHAUSTED: *', '4 DEADLINE_EXCEEDED: *'),
      unless: { message: globs('*No connection established*', '*ECONNREFUSED*') },
    },
    { code: 1, message: globs('1 CANCELLED: Call cancelled') }, // the server died
    { code: 13, message: globs('13 INTERNAL: Received RST_STREAM with code *') },
  ],
  unless: [
    ...NEVER_CONNECTS,
    { code: 14, message: globs('*Last error: Protocol error*') },
    // RESOURCE_EXHAUSTED of a message, not of a server: grpc-js, and servers in Go and in Java.
    {
      message: globs(
        '*message larger than max*',
        '*message with a size larger than *',
        '*message that decompresses to a size larger than *',
        '*message exceeds maximum size *',
      ),
    },
  ],
});
