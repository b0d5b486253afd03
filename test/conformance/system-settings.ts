import type { MeasuredCase } from './measured-systems.ts';

/** The options of a case as its dialect takes them. */
export interface CaseSettings {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** What every attempt fails with. */
  readonly error?: unknown;
  /** Recorded delays before that of the first retry; −1 if that one is missing. @default 0 */
  readonly delaysBefore?: number;
  /** A `Retry-After` that every answer has. */
  readonly header?: string;
}

type Options = Readonly<Record<string, unknown>>;

/** Some cases describe their settings in words instead of options. */
const ADAPTERS: Readonly<Record<string, (options: Options, given: MeasuredCase) => Partial<CaseSettings>>> = {
  // What was run answered each request with a 503.
  aria2: (options) => ({ options, error: { status: 503 } }),
  'cenkalti-backoff': ({ settings, ...options }) => ({
    options: { ...options, ...cenkalti(String(settings ?? '')) },
  }),
  celery: ({ factor, maximum, full_jitter }) => ({
    options: {
      autoretry_for: ['Error'],
      retry_backoff: factor,
      retry_backoff_max: maximum,
      retry_jitter: full_jitter,
    },
  }),
  curl: ({ server, ...options }) => ({
    options,
    ...(typeof server === 'string' && { header: server.replace(/^Retry-After: /, '') }),
  }),
  // The first recorded delay is the one before the first attempt.
  'exponential-backoff': (options) => ({
    options,
    delaysBefore: options['delayFirstAttempt'] === true ? 1 : 0,
  }),
  'laravel-queue': ({ opt, ...options }) => ({
    options: { ...options, ...(opt !== undefined && { '--backoff': opt }) },
  }),
  'mongodb-overload': ({ url, ...options }) => ({
    options: { ...options, ...numbersIn(String(url ?? '')) },
  }),
  'python-backoff': ({ generator, ...options }) => {
    const [name, ...words] = String(generator).split(' ');
    const read = numbersIn(words.join('&'));
    // The case that counts the tries was run without jitter.
    return {
      options: { ...options, generator: name, ...('max_tries' in read && { jitter: 'None' }), ...read },
    };
  },
  // In one run the first connection was missed, so that each delay was recorded one retry too early.
  openvpn: (options, { how }) => ({
    options,
    delaysBefore: how.includes('the first connection may have been missed') ? -1 : 0,
  }),
  sidekiq: (options, { version }) => ({ options: { ...options, version: Number.parseInt(version, 10) } }),
  'sidekiq-8': (options) => ({ name: 'sidekiq', options }),
  'smithy-util-retry': ({ errorType, ...options }) => ({
    options,
    error: errorType === 'THROTTLING' ? { name: 'ThrottlingException' } : { name: 'TimeoutError' },
  }),
  'temporal-client': ({ code, ...options }) => ({ options, error: { code } }),
  tenacity: (options) => ({ options: { ...options, version: '8' } }),
  'tenacity-main': (options) => ({ name: 'tenacity', options: { ...options, version: 'main' } }),
};

/** Returns the dialect of a case and what it reads. */
export function settingsOfCase(file: string, given: MeasuredCase): CaseSettings {
  const written = withoutDefaults(given.options);
  return { name: file, options: written, ...ADAPTERS[file]?.(written, given) };
}

/** `{ default: true }` and `'default'` are words for no options; `'name (default)'` for the name. */
function withoutDefaults(options: Options): Options {
  const entries = Object.entries(options).filter(([key, value]) => key !== 'default' && value !== 'default');
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      typeof value === 'string' ? value.replace(/ \(default\)$/, '') : value,
    ]),
  );
}

/** Reads `a=1&b=text`. */
function numbersIn(text: string): Options {
  const entries = [...text.matchAll(/(\w+)=([^&]*)/g)].map(([, key = '', value = '']) => [
    key,
    value !== '' && Number.isFinite(Number(value)) ? Number(value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** Reads `init 10s x2 max 30s rand .5`. */
function cenkalti(text: string): Options {
  const word = (pattern: RegExp): string | undefined => pattern.exec(text)?.[1];
  const [initial, multiplier, most] = [word(/init (\S+)/), word(/\bx([\d.]+)/), word(/max (\S+)/)];
  const spread = word(/rand ?([\d.]+)/);
  return {
    ...(initial !== undefined && { InitialInterval: initial }),
    ...(multiplier !== undefined && { Multiplier: Number(multiplier) }),
    ...(most !== undefined && { MaxInterval: most }),
    ...(spread !== undefined && { RandomizationFactor: Number(spread) }),
  };
}
