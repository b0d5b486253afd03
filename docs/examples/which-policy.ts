import { definePolicy, formatDuration, preview, TASK_POLICY } from '@retry/core';

for (const policy of [definePolicy(), definePolicy(TASK_POLICY)]) {
  const { maxRetries, total } = preview(policy);
  console.log(`${maxRetries + 1} attempts, ${formatDuration(total.maxMs)} of waiting at most`);
}
// => 3 attempts, 300ms of waiting at most
// => 10 attempts, 8.52m of waiting at most
