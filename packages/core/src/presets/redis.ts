import { type ErrorFamily, family, globs } from './family.ts';

const REPLIES = [
  'LOADING *',
  'TRYAGAIN *',
  'CLUSTERDOWN *',
  'MASTERDOWN *',
  'READONLY *',
  'NOREPLICAS *',
  'BUSY *',
  'UNBLOCKED *',
  'UNBLOCKED: *',
  'ERR max number of clients reached*',
];

/** Replies while a server loads, fails over or is busy; EVAL and a refused EXEC put theirs before it, valkey-glide another name. */
const REFUSED = [
  ...globs(
    ...REPLIES,
    ...REPLIES.map((reply) => `EXECABORT Transaction discarded because of: ${reply}`),
    '*-READONLY *',
  ),
  ...['BusyLoadingError', 'ReadOnly', 'MasterDown', 'ClusterDown', 'TryAgain'].map((name) => ({
    glob: `An error was signalled by the server: - ${name}:*`,
  })),
];

/**
 * Matches replies of Redis and Valkey, and errors of node-redis, ioredis and valkey-glide, while a server loads, fails over or is
 * disconnected. Not applied: a command that was refused, or never sent.
 */
export const redis: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { message: REFUSED },
    { name: ['ConnectionTimeoutError', 'ClientOfflineError', 'RootNodesUnavailableError'] },
    {
      message: globs(
        "Stream isn't writeable and enableOfflineQueue options is false",
        'None of startup nodes is available',
        'All sentinels are unreachable*',
      ),
    },
  ],
  ambiguous: [
    {
      name: [
        'SocketClosedUnexpectedlyError',
        'SocketTimeoutError',
        'DisconnectsClientError',
        'MaxRetriesPerRequestError',
        'ClusterAllFailedError',
      ],
    },
    {
      message: globs('Command timed out', 'Socket timeout*. Expecting data*', 'Received connection error `*'),
    },
    { name: 'TimeoutError', unless: { message: ['onnect', 'peration'] } }, // valkey-glide; the queue of node-redis
  ],
  ofSeveral: [{ name: 'MultiErrorReply' }],
});
