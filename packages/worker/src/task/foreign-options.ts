const SERIAL = 'Use concurrency: { key: …, limit: 1 }, and holdWhileRetrying: true to keep the order.';

const TURNS = `For turns use fairness: (payload) => payload.tenant of the task. For one at a time: ${SERIAL}`;

/** What is said of priorities, of a submission or of a task. */
export const UNORDERED =
  'Lanes are first in, first out: give urgent work a task of its own, and workers with room for it.';

/** What fires again and again, of a submission or of a task. */
export const SCHEDULE = "Use queue.schedule(id, { task, payload, cron: '30 2 * * *' }), or every: '1h'.";

const FLOW = 'A handler may submit the next task when it has done its part.';

const KEPT =
  'Use keepResult of the submission for its result; how many completed runs are kept is keepCompleted of the broker.';

const ATTEMPT_TIMEOUT =
  "Use retry: { attemptTimeout: '30s' }; lease of the worker finds those that have died.";

const WINDOW = "Use unique: { key: …, until: '10s' }, with onConflict: 'replace' to keep the last.";

/** Options that other queues take for a job and that have no counterpart of another name here, and what to do instead. */
export const FOREIGN_OPTIONS: Readonly<Record<string, string>> = {
  priority: UNORDERED,
  lifo: UNORDERED,
  removeOnComplete: KEPT,
  removeOnSuccess: KEPT,
  retentionSeconds: KEPT,
  deleteAfterSeconds: KEPT,
  removeOnFail: "Use deadLetter: 'none' of the task, or deadLetters.discard.",
  deadLetter: "Use deadLetter of the task: deadLetter: { task: … } or 'none'.",
  expireInSeconds: ATTEMPT_TIMEOUT,
  heartbeatSeconds: 'Use lease of the worker, or heartbeat of the task for the handler itself.',
  group: TURNS,
  groupId: TURNS,
  queueName: SERIAL,
  singletonSeconds: WINDOW,
  debounce: WINDOW,
  throttle: WINDOW,
  jobKeyMode: "Use unique: { key: …, onConflict: 'replace' or 'keep' }.",
  repeat: SCHEDULE,
  repeatable: SCHEDULE,
  cron: SCHEDULE,
  parent: FLOW,
  children: FLOW,
  dependencies: FLOW,
};
