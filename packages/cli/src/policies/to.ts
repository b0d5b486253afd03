import { exportPolicy, type LostSetting } from '@retry/core/dialects/export';
import { EXIT } from '../exit.ts';
import type { Input, Report } from '../report.ts';
import type { Screen } from '../terminal/screen.ts';
import { wrap } from '../terminal/screen.ts';
import { writeJson } from '../terminal/write-json.ts';
import { readPolicyFrom } from './read-system.ts';
import { EXPORTED_NAMES } from './system-names.ts';

/** The options of `retry to`. */
interface ToCommandOptions {
  /** The system whose options the argument has; absent: it is a policy. */
  readonly from?: string;
}

/** Converts a policy to another system's options, with what these do not say. Standard output can be sent to a file. */
export async function toAction({
  args,
  options: given,
  environment,
}: Input<ToCommandOptions>): Promise<Report> {
  const system = EXPORTED_NAMES.find((name) => name === args[0]);
  if (system === undefined) throw new TypeError(`${args[0] ?? ''} is listed, and nothing is exported to it`);
  const policy = await readPolicyFrom(args[1] ?? '', given.from, environment);
  const { options, lost } = exportPolicy(policy, system);
  return {
    json: { system, options, lost },
    text: () => writeJson(options),
    notes: (screen) => lost.map((one) => lostText(one, screen)).join('\n'),
    exitCode: lost.length === 0 ? EXIT.fine : EXIT.found,
  };
}

function lostText({ key, why, nearest }: LostSetting, screen: Screen): string {
  return wrap(`${screen.paint('warning', 'LOST')} ${key}: ${why}. Instead: ${nearest}.`, screen.width, '  ');
}
