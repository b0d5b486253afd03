import type { CallEvent, RetryHooks, SuccessEvent } from './events.ts';

/** Set by `publishDiagnostics`: receives every event of every call of this process, and the success of those that succeed. */
export const observer: {
  observe?: ((name: keyof RetryHooks | 'success', event: CallEvent) => void) | undefined;
  /** Makes an attempt, whose function `run` calls. */
  attempt?: ((call: ObservedCall, run: () => unknown) => unknown) | undefined;
} = {};

/** What is known of a call whose attempt begins. */
export interface ObservedCall {
  readonly name: string;
  readonly parameters: readonly unknown[];
  readonly attempts: number;
}

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
  readonly elapsedMs: (at: number) => number;
  readonly attemptMs: (at: number) => number;
  readonly options: Observed;
  readonly clock: { readonly now: () => number };
  readonly plan: { readonly about?: object | undefined };
}

/** What an event of this hook says beside what every event says. */
type Details<Name extends keyof RetryHooks> = Omit<
  Parameters<NonNullable<RetryHooks[Name]>>[0],
  keyof CallEvent
>;

/** Returns whether anything receives the events of a hook; the details of others need not be made. */
export function isObserved(hook: unknown): boolean {
  return hook !== undefined || observer.observe !== undefined;
}

/**
 * Passes an event to the observer of all calls, then to the call's own hook, which may end the call and so make the next event.
 *
 * @param at - when it happened, if the clock has been read
 */
export function notify<Name extends keyof RetryHooks>(
  name: Name,
  call: DescribedCall,
  details: Details<Name>,
  at?: number,
): void {
  const { observe } = observer;
  const { [name]: own, reportError } = call.options;
  const event = eventOf(call, details, at);
  if (observe !== undefined) callHook(() => observe(name, event), undefined, reportError);
  callHook(own as ((event: unknown) => unknown) | undefined, event, reportError); // the event of its name
}

/** Passes the success of a call to the observer of all calls; a call that succeeds needs no hook of its own. */
export function notifySuccess(call: DescribedCall & { readonly attempts: number }): void {
  const event: SuccessEvent = eventOf(call, { attempt: call.attempts });
  callHook(() => observer.observe?.('success', event), undefined, call.options.reportError);
}

/**
 * Makes the details the event of a call, in place: to spread them into a new object takes a microsecond. If the id is drawn from
 * the option `random`, it is drawn when first read: a hook that does not read it must not change the delays.
 */
export function eventOf<Details extends object>(
  call: DescribedCall,
  details: Details,
  at: number = call.clock.now(),
): CallEvent & Details {
  const event = details as Details & { -readonly [Key in keyof CallEvent]: CallEvent[Key] };
  const isDrawn = call.options.random !== undefined;
  event.id = isDrawn ? '' : call.id;
  event.name = call.name;
  event.arguments = call.parameters;
  event.elapsedMs = call.elapsedMs(at);
  event.attemptMs = call.attemptMs(at);
  if (call.plan.about !== undefined) Object.assign(event, call.plan.about);
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
    // No primitive is a promise; any object may be one, of another realm.
    if (Object(returned) !== returned) return;
    Promise.resolve(returned).catch((error: unknown) => report(error, reporter));
  } catch (error) {
    report(error, reporter);
  }
}

/** Passes an error of a hook or a listener to the reporter; never throws. */
export function report(error: unknown, reporter?: (error: unknown) => unknown): void {
  const { reportError } = globalThis as { reportError?: (error: unknown) => void }; // not in Node
  try {
    Promise.resolve((reporter ?? reportError ?? console.error)(error)).catch(() => undefined);
  } catch {
    // An error of the reporter itself cannot be reported.
  }
}
