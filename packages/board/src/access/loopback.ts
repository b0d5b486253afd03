/** Who sent a request. */
export interface Client {
  readonly request: Request;
  /** The address of the other end of the connection; absent: not known. */
  readonly address?: string | undefined;
}

const ADDRESS = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** What proxies add: the client behind one is somewhere else. */
const PROXIED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Whether a request comes from the same machine. The name of the host is compared, too: a page of another site may let its own name
 * point at this machine.
 */
export function isLoopback({ request, address }: Client): boolean {
  if (address === undefined || !ADDRESS.test(address)) return false;
  return HOST.test(new URL(request.url).hostname) && PROXIED.every((name) => !request.headers.has(name));
}
