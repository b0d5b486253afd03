/** A call of `retry` that looks at what the demo left, and what it shows. */
type Command = readonly [call: string, shows: string];

const COMMANDS: readonly Command[] = [
  ['dlq groups', 'What has failed, and why'],
  ['dlq show charge-card@order-12', 'One dead letter, attempt by attempt'],
  ['dlq redrive --task charge-card --rate 10/s', 'The plan of a redrive; --apply does it'],
  [`replay '{"maxAttempts":8}' --task reserve-stock`, 'What another policy would have decided'],
  ['runs ls --error ValidationError --limit 5', 'The runs with this error'],
  ['lanes ls', 'What waits, and who works on it'],
  ['top', 'All of it at a glance, drawn again and again'],
  ['audit', 'Every run is in exactly one place'],
  ['doctor', 'What is wrong, and what to do'],
];

/** Returns the commands for a reader to copy. @param options - those that lead to the queue */
export function commandLines(options: string): readonly string[] {
  return [
    'The program retry looks at them. In this repository it is npm run retry:',
    '',
    "  alias retry='npm run --silent retry --'",
    ...COMMANDS.flatMap(([call, shows]) => ['', `${shows}:`, `  retry ${call} ${options}`]),
  ];
}
