import { InvalidOptionsError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { textProblem } from '@retry/core/broker/kit';
import type { Fields, Report } from '@retry/core/fields';
import { A_FUNCTION, MAX_ITEMS, readOptions } from '@retry/core/fields';
import type { AnyTask } from '@retry/worker';
import { createQueue, isTask } from '@retry/worker';
import type { Access } from './access/rights.ts';
import type { Act } from './api.ts';
import type { Mask } from './show/mask.ts';

/** The options of `createBoard`. */
export interface BoardOptions {
  /** Where the runs are; the board does not close it. */
  readonly broker: Broker;
  /** Tasks whose policies the board explains and plans with. @default none */
  readonly tasks?: readonly AnyTask[] | undefined;
  /**
   * A secret that every request needs: in the address that a visitor opens first, as `?token=…`, then in a cookie. It has 32 to 256
   * letters, digits, `-` and `_`, such as `randomUUID()` makes. @default none: `access` alone says who may visit
   */
  readonly token?: string | undefined;
  /**
   * Says what the visitor behind a request may do, which with a `token` has been shown to have it. If it throws, the visitor may do
   * nothing. @default reading for visitors with the `token`; required without one
   */
  readonly access?: Access | undefined;
  /**
   * Hides what visitors without the right `unmask` must not see, in payloads, results, messages and stacks. If it throws, or
   * returns a promise, nothing of the value is shown. @default hides the values of keys such as `password` and `token`, and passwords in text
   */
  readonly mask?: Mask | undefined;
  /** The path below which the board is mounted, such as `/admin/board`. @default the root */
  readonly basePath?: string | undefined;
  /** Which queue it is, for people, such as its server and its prefix: each screen shows it. @default none */
  readonly name?: string | undefined;
  /** How the page writes instants: in the zone of the browser, or in UTC. @default 'local' */
  readonly times?: 'local' | 'utc' | undefined;
  /** Called after every act of a visitor. Also on `node:diagnostics_channel` as `retry:board:act`. */
  readonly onAct?: ((act: Act) => void) | undefined;
  /**
   * Called with what failed: the broker, `access`, `mask` or `onAct`. Also on `node:diagnostics_channel` as `retry:board:error`.
   * @default a process warning, once a minute at most
   */
  readonly onError?: ((error: unknown, doing: string) => void) | undefined;
}

/** Checked options with their defaults. */
export interface BoardSettings
  extends Pick<BoardOptions, 'token' | 'mask' | 'onAct' | 'onError' | 'broker' | 'name'> {
  readonly access: Access;
  /** The known tasks by their lanes. */
  readonly tasks: ReadonlyMap<string, AnyTask>;
  /** Without a slash at its end; `''` for the root. */
  readonly basePath: string;
  readonly times: 'local' | 'utc';
}

const KEYS: readonly (keyof BoardOptions)[] = [
  ...([
    'broker',
    'tasks',
    'token',
    'access',
    'mask',
    'basePath',
    'name',
    'times',
    'onAct',
    'onError',
  ] as const),
];

/** Checks the options of a board. @throws {InvalidOptionsError} listing every problem */
export function readBoardOptions(options: unknown): BoardSettings {
  return readOptions(options, { subject: 'board', keys: KEYS }, (fields, report) => ({
    broker: readBroker(fields, report),
    tasks: readTasks(fields, report),
    token: readToken(fields, report),
    access: readAccess(fields),
    mask: readFunction<Mask>(fields, 'mask'),
    onAct: readFunction<(act: Act) => void>(fields, 'onAct'),
    onError: readFunction<(error: unknown, doing: string) => void>(fields, 'onError'),
    basePath: (fields.optional('basePath', A_PATH) ?? '').replace(/\/$/, ''),
    name: fields.optional('name', A_NAME),
    times: fields.choice('times', 'local', ['local', 'utc']),
  }));
}

/** A wrong secret is still one: the problem does not show it. */
function readToken(fields: Fields, report: Report): string | undefined {
  const token = fields.value('token');
  if (token === undefined || (typeof token === 'string' && /^[\w-]{32,256}$/.test(token))) return token;
  const value = typeof token === 'string' ? '(not shown)' : token;
  const message = 'must be a secret of 32 to 256 letters, digits, - and _';
  report({ path: 'token', value, message, cure: 'Use token: randomUUID() of node:crypto.' });
  return undefined;
}

/** A board that anyone could visit is made by an `access` that says so, never by leaving something out. */
function readAccess(fields: Fields): Access {
  const access = readFunction<Access>(fields, 'access');
  if (access === undefined && fields.value('token') === undefined)
    fields.fail('access', 'is missing, and so is token: anyone could visit the board', ACCESS_CURE);
  return access ?? (() => ({ read: true }));
}

const ACCESS_CURE =
  'Use token: randomUUID() and open the board at ?token=…, or access: (request) => ({ read: true, … }) with the rights of the visitor.';

/** What is a broker is for a queue to say. */
function readBroker(fields: Fields, report: Report): Broker {
  const broker = fields.value('broker') as Broker; // checked by the queue
  try {
    createQueue({ broker });
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    error.problems.forEach(report);
  }
  return broker;
}

function readTasks(fields: Fields, report: Report): ReadonlyMap<string, AnyTask> {
  const tasks = fields.value('tasks') ?? [];
  const cure = 'Use tasks: [sendEmail], made by defineTask.';
  if (!Array.isArray(tasks) || tasks.length > MAX_ITEMS) {
    report({ path: 'tasks', value: tasks, message: `must be a list of at most ${MAX_ITEMS} tasks`, cure });
    return new Map();
  }
  const known = tasks.filter((task, index) => {
    if (isTask(task)) return true;
    report({ path: `tasks[${index}]`, value: task, message: 'must be a task', cure });
    return false;
  });
  return new Map(known.map((task) => [task.lane, task]));
}

function readFunction<Callback>(fields: Fields, key: keyof BoardOptions): Callback | undefined {
  return fields.optional(key, A_FUNCTION) as Callback | undefined; // its arguments are the caller's claim
}

const A_NAME = {
  accepts: (value: unknown): value is string => textProblem(value) === undefined,
  message: 'must be text of 1 to 512 bytes',
  cure: "Use name: 'orders in production'.",
};

const A_PATH = {
  accepts: (value: unknown): value is string =>
    typeof value === 'string' && /^(\/[\w.~-]+)*\/?$/.test(value) && !/\/\.+(\/|$)/.test(value),
  message: 'must be a path that begins with /, of letters, digits, ., _, ~ and -',
  cure: "Use basePath: '/admin/board'; leave it out for the root.",
};
