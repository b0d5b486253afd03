import type { Synonyms } from './cures.ts';

/** What other queues call a key of ours; apart, so that a program without a queue does not load it. */
export const QUEUE_SYNONYMS: Synonyms = [
  [
    /^(idempotencyKey|id|jobId|taskId|jobKey|uniqueKey|unique|dedupeKey|deduplicationId|deduplication|singletonKey)$/,
    'key',
  ],
  [/^(eta|startAfter|scheduledAt|scheduleAt|availableAt)$/, 'runAt'],
  [/^(countdown|delaySeconds|wait|waitFor)$/, 'delay'],
  [/^(id|jobIds|runIds|idList)$/, 'ids'],
  [/^(isDryRun|simulate|preview)$/, 'dryRun'],
  [/^(transaction|trx|client)$/, 'tx'],
];
