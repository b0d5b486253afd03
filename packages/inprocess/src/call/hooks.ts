import type { CallEvent, RetryHooks } from './events.ts';

/** Set by `publishDiagnostics`: receives every event of every call of this process. */
export const observer: {
  observe?: ((name: keyof RetryHooks, event: CallEvent) => void) | undefined;
} = {};

/** The options that notifying reads. */
interface Observed extends RetryHooks {
  readonly random?: unknown;
  readonly reportError?: ((error: unknown) => unknown) | undefined;
}

/** What an event says about its call. */
interface DescribedCall {
  readonly id: string;
  readonly name: string;
  readonly parameters: readonly unknown[];
  readonly elapsedMs: number;
  readonly attemptMs: number;
  readonly options: Observed;
  readonly plan: { readonly about?: object | undefined };
}

/** What an event of this hook says beside what every event says. */
type Details<Name extends keyof RetryHooks> = Omit<
  Parameters<NonNullable<RetryHooks[Name]>>[0],
  keyof CallEvent
>;

/** Passes an event to the call's own hook, then to the observer of all calls; creates it only if there is either. */
export function notify<Name extends keyof RetryHooks>(
  name: Name,
  call: DescribedCall,
  details: Details<Name>,
): void {
  const { observe } = observer;
  const { [name]: own, reportError } = call.options;
  if (own === undefined && observe === undefined) return;
  const event = eventOf(call, details);
  callHook(own as ((event: unknown) => unknown) | undefined, event, reportError); // the event of its name
  if (observe !== undefined) callHook(() => observe(name, event), undefined, reportError);
}

/**
 * Creates an event of a call. If the id is drawn from the option `random`, it is drawn when first read: a hook that
 * does not read it must not change the delays.
 */
export function eventOf<Details extends object>(call: DescribedCall, details: Details): CallEvent & Details {
  const { name, parameters, elapsedMs, attemptMs, plan } = call;
  const isDrawn = call.options.random !== undefined;
  const id = isDrawn ? '' : call.id;
  const event = { id, name, arguments: parameters, elapsedMs, attemptMs, ...plan.about, ...details };
  // Only in this case, because an event with an accessor costs several times as much.
  if (isDrawn) Object.defineProperty(event, 'id', { get: () => call.id });
  return event;
}

/** Calls a hook. An error that it throws, or rejects with, is reported and changes nothing. */
export function callHook<Event>(
  hook: ((event: Event) => unknown) | undefined,
  event: Event,
  reporter?: (error: unknown) => unknown,
): void {
  if (hook === undefined) return;
  try {
    const returned = hook(event);
    if (returned === undefined) return;
    // It may be a promise of another realm, so anything is treated as one.
    Promise.resolve(returned).catch((error: unknown) => report(error, reporter));
  } catch (error) {
    report(error, reporter);
  }
}

/** Passes an error of a hook or a listener to the reporter; never throws. */
export function report(error: unknown, reporter?: (error: unknown) => unknown): void {
  const { reportError } = globalThis as { reportError?: (error: unknown) => void }; // not in Node
  try {
    // An error of the reporter itself cannot be reported.
    Promise.resolve((reporter ?? reportError ?? console.error)(error)).catch(ignore);
  } catch {
    ignore();
  }
}

function ignore(): void {}
