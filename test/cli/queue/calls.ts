import { idOf } from './seed.ts';

/** A call of each command that asks a queue and changes nothing, by the name of its output. Known after the seed. */
export function readingCalls(): Readonly<Record<string, readonly string[]>> {
  return {
    'runs-ls': ['runs', 'ls'],
    'runs-show': ['runs', 'show', idOf('send-email', 'dead-1')],
    'runs-watch': ['runs', 'watch', idOf('send-email', 'ok')],
    'dlq-groups': ['dlq', 'groups'],
    'dlq-ls': ['dlq', 'ls'],
    'dlq-show': ['dlq', 'show', idOf('resize-image', 'dead')],
    'dlq-redrive': ['dlq', 'redrive', '--task', 'send-email', '--rate', '2/s'],
    'dlq-discard': ['dlq', 'discard', '--all'],
    replay: ['replay', '{"maxAttempts":3,"stopOn":[{"name":"RangeError"}]}'],
    'lanes-ls': ['lanes', 'ls'],
    'workers-ls': ['workers', 'ls'],
    'operations-ls': ['operations', 'ls'],
    top: ['top'],
    audit: ['audit'],
    doctor: ['doctor', '--watch', '0ms'],
  };
}
