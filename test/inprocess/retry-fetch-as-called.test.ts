import { Readable } from 'node:stream';
import { createCircuitBreaker } from '@retry/inprocess';
import { createRetryFetch, type Fetch, type RetryFetchOptions } from '@retry/inprocess/fetch';
import { FormData as UndiciForm } from 'undici';
import { describe, expect, it, type Mock, vi } from 'vitest';
import { rejectionOf } from './failing.ts';

const URL_OF_IT = 'https://api.example.com/orders/1';
const AT_ONCE = { backoff: { type: 'none' } } as const;

/** What one attempt was sent with. */
interface Sent {
  readonly url: string;
  readonly key: string | null;
  readonly body: string;
}

/** Records what it is sent, as text; the caller changes the request after the first attempt. Answers 503, then 200. */
function recording(change: () => void = () => undefined): { readonly sent: Sent[]; readonly fetch: Fetch } {
  const sent: Sent[] = [];
  const fetch: Fetch = async (input, init) => {
    const { url, headers } = new Request(input, { ...init, body: null });
    const body = await new Response(init?.body ?? null).text();
    sent.push({ url, key: headers.get('idempotency-key'), body: body.replace(/-+formdata-\S+/g, '--') });
    if (sent.length > 1) return new Response('ok');
    change();
    return new Response(null, { status: 503 });
  };
  return { sent, fetch };
}

/** Sends a request that changes after the first attempt; returns both attempts. */
async function sendChanged(
  input: string | URL | Request,
  init: object,
  change: () => void,
): Promise<readonly Sent[]> {
  const { sent, fetch } = recording(change);
  await createRetryFetch(AT_ONCE, { fetch })(input, init);
  return sent;
}

describe('every attempt is sent with', () => {
  it('the URL of the call', async () => {
    const url = new URL(URL_OF_IT);

    const sent = await sendChanged(url, {}, () => {
      url.pathname = '/orders/2';
    });

    expect(sent.map((each) => each.url)).toEqual([URL_OF_IT, URL_OF_IT]);
  });

  it.each(['Headers', 'a plain object', 'a list', 'a Request'])(
    'the headers of the call: %s',
    async (kind) => {
      const plain = { 'idempotency-key': 'k1' };
      const list = [['idempotency-key', 'k1']];
      const request = new Request(URL_OF_IT, { method: 'POST', headers: plain });
      const headers = { Headers: new Headers(plain), 'a plain object': plain, 'a list': list }[kind];

      const init = kind === 'a Request' ? {} : { method: 'POST', headers };
      const sent = await sendChanged(kind === 'a Request' ? request : URL_OF_IT, init, () => {
        plain['idempotency-key'] = 'k2';
        list.splice(0);
        request.headers.set('idempotency-key', 'k2');
        if (headers instanceof Headers) headers.set('idempotency-key', 'k2');
      });

      expect(sent.map(({ key }) => key)).toEqual(['k1', 'k1']);
    },
  );

  it('headers that can be read only once', async () => {
    const headers = new Map([['idempotency-key', 'k1']]).entries();

    const sent = await sendChanged(URL_OF_IT, { method: 'POST', headers }, () => undefined);

    expect(sent.map(({ key }) => key)).toEqual(['k1', 'k1']);
  });

  it('the method and the other keys of the call', async () => {
    const init = { method: 'PUT', body: 'first' };

    const sent = await sendChanged(URL_OF_IT, init, () => {
      init.body = 'second';
    });

    expect(sent.map(({ body }) => body)).toEqual(['first', 'first']);
  });

  const ofForm = (form: FormData): FormData => {
    form.set('a', 'first');
    form.set('file', new File(['text'], 'name.txt'));
    return form;
  };

  it.each([
    ['bytes', new TextEncoder().encode('first'), (body: Uint8Array) => body.fill(0)],
    ['a part of bytes', new TextEncoder().encode('first').subarray(1, 3), (body: Uint8Array) => body.fill(0)],
    ['a buffer', new Uint8Array([97, 98]).buffer, (body: ArrayBuffer) => new Uint8Array(body).fill(0)],
    ['URLSearchParams', new URLSearchParams({ a: '1' }), (body: URLSearchParams) => body.set('a', '2')],
    ['FormData', ofForm(new FormData()), (body: FormData) => body.set('a', 'second')],
    ['a URL', new URL('http://first.example/'), (body: URL) => body.searchParams.set('a', 'second')],
    ['a list', ['first'], (body: string[]) => body.push('second')],
  ])('the body of the call: %s', async (_name, body, change) => {
    const [first, second] = await sendChanged(URL_OF_IT, { method: 'PUT', body }, () =>
      change(body as never),
    );

    expect(first?.body).not.toBe('');
    expect(second).toEqual(first);
  });

  it('the fields of a form whose class adds some, and wants an argument', async () => {
    class Upload extends FormData {
      constructor(fields: object) {
        super();
        this.append('token', 't');
        for (const [name, value] of Object.entries(fields)) this.append(name, value);
      }
    }
    const fields: (readonly string[])[] = [];
    const fetch: Fetch = async (_, init) => {
      fields.push(init?.body instanceof FormData ? [...init.body.keys()] : []);
      return new Response(null, { status: fields.length === 1 ? 503 : 200 });
    };

    await createRetryFetch(AT_ONCE, { fetch })(URL_OF_IT, { method: 'PUT', body: new Upload({ a: '1' }) });

    expect(fields).toEqual([
      ['token', 'a'],
      ['token', 'a'],
    ]);
  });

  it.each([
    ['bytes', new Uint8Array([65]), (body: object) => (body as Uint8Array).fill(90)],
    ['URLSearchParams', new URLSearchParams('A'), (body: object) => (body as URLSearchParams).set('Z', '')],
  ])('the body of a call that is sent once, after an initial delay: %s', async (_name, body, change) => {
    const { sent, fetch } = recording();

    const call = createRetryFetch({ initialDelay: 1 }, { fetch })(URL_OF_IT, { method: 'POST', body });
    change(body);
    await call;

    expect(sent.map(({ body }) => body.replace('=', ''))).toEqual(['A']);
  });

  it('a blob as it is: it never changes', async () => {
    const body = new Blob(['text']);
    const fetch = vi.fn<Fetch>(async () => new Response('ok'));

    await createRetryFetch(AT_ONCE, { fetch })(URL_OF_IT, { method: 'PUT', body });

    expect(fetch.mock.lastCall?.[1]?.body).toBe(body);
  });
});

describe('the headers of events', () => {
  it('are sent as beforeRetry has changed them', async () => {
    const { sent, fetch } = recording();
    const beforeRetry: RetryFetchOptions['beforeRetry'] = ({ request }) =>
      request.headers.set('idempotency-key', 'new');

    await createRetryFetch(AT_ONCE, { fetch, beforeRetry })(URL_OF_IT, {
      headers: { 'idempotency-key': 'old' },
    });

    expect(sent.map(({ key }) => key)).toEqual(['old', 'new']);
  });

  it('are not those of the caller, nor those that a fetch receives', async () => {
    const headers = new Headers({ a: '1' });
    const seen: unknown[] = [];
    const fetch: Fetch = async (_input, init) => {
      new Headers(init?.headers).get('a');
      if (init?.headers instanceof Headers) init.headers.append('a', '2');
      return new Response(null, { status: 503 });
    };

    await createRetryFetch(AT_ONCE, {
      fetch,
      onAttempt: ({ request, arguments: given }) => seen.push(request.headers.get('a'), given[1]),
    })(URL_OF_IT, { headers });

    const init = { headers };
    expect(seen).toEqual(['1', init, '1', init, '1', init]);
    expect(headers.get('a')).toBe('1');
  });
});

describe('a body', () => {
  const undiciForm = new UndiciForm();
  undiciForm.set('a', '1');

  it.each<[string, unknown, number]>([
    ['a number', 5, 3],
    ['a URL', new URL(URL_OF_IT), 3],
    ['a String object', Object('text'), 3],
    ['a list', ['text'], 3],
    ['an object', { toString: () => 'text' }, 3],
    ['the FormData of undici', undiciForm, 3],
    ['a File', new File(['text'], 'name.txt'), 3],
    ['an iterator', ['text'].values(), 1],
    ['a stream of another library', { pipe: () => undefined }, 1],
    ['a stream of another realm', { getReader: () => undefined }, 1],
  ])('that is %s is sent as often as it can be read', async (_name, body, times) => {
    const fetch = vi.fn<Fetch>(async () => new Response(null, { status: 503 }));

    await createRetryFetch(AT_ONCE, { fetch })(URL_OF_IT, { method: 'PUT', body } as object);

    expect(fetch).toHaveBeenCalledTimes(times);
  });

  it.each([
    ['GET', undefined, 3],
    ['HEAD', undefined, 3],
    ['PUT', undefined, 1],
    ['PUT', null, 3],
  ])('of a Request with the method %s whose body is %s', async (method, body, times) => {
    const fetch = vi.fn<Fetch>(async () => new Response(null, { status: 503 }));
    const request = Object.defineProperty(new Request(URL_OF_IT, { method }), 'body', { value: body });

    await createRetryFetch(AT_ONCE, { fetch })(request);

    expect(fetch).toHaveBeenCalledTimes(times);
  });
});

describe('a body that is read once, of a request that is aborted before it was sent', () => {
  const open = (): { readonly stream: ReadableStream; readonly cancel: Mock } => {
    const cancel = vi.fn();
    return { stream: new ReadableStream({ cancel }), cancel };
  };
  const sendAborted = (input: string | Request, init: object, policy = {}): Promise<unknown> =>
    rejectionOf(createRetryFetch(policy)(input, { signal: AbortSignal.abort('left'), ...init }));

  it('is cancelled, as fetch does it', async () => {
    const [plain, own, delayed] = [open(), open(), open()];
    const of = ({ stream }: { readonly stream: ReadableStream }): object => ({
      method: 'PUT',
      body: stream,
      duplex: 'half',
    });

    await rejectionOf(fetch(URL_OF_IT, { signal: AbortSignal.abort('left'), ...of(plain) }));
    await sendAborted(URL_OF_IT, of(own));
    await sendAborted(URL_OF_IT, { ...of(delayed), signal: AbortSignal.timeout(1) }, { initialDelay: '1h' });

    expect([plain, own, delayed].map(({ cancel }) => cancel.mock.calls.length)).toEqual([1, 1, 1]);
  });

  it('is cancelled where onAttempt has aborted', async () => {
    const { stream, cancel } = open();
    const controller = new AbortController();
    const onAttempt = (): void => controller.abort();
    const init = { method: 'PUT', body: stream, duplex: 'half', signal: controller.signal };

    await rejectionOf(createRetryFetch(AT_ONCE, { onAttempt })(URL_OF_IT, init as object));

    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('is ended if it is that of a Request, a stream of Node, or a generator', async () => {
    const { stream, cancel } = open();
    const request = new Request(URL_OF_IT, { method: 'PUT', body: stream, duplex: 'half' } as object);
    const readable = Readable.from(['text']);
    const end = vi.fn(async () => ({ done: true, value: undefined }));
    const generator = { [Symbol.asyncIterator]: () => generator, return: end };

    await sendAborted(request, {});
    await sendAborted(URL_OF_IT, { method: 'PUT', body: readable });
    await sendAborted(URL_OF_IT, { method: 'POST', body: generator });

    expect(cancel).toHaveBeenCalledTimes(1);
    expect(readable.destroyed).toBe(true);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('is left as it is where a circuit breaker has refused the request: it can be sent later', async () => {
    const { stream, cancel } = open();
    const circuitBreaker = createCircuitBreaker({ minimumThroughput: 1 });
    circuitBreaker.permit().fail();
    const init = { method: 'PUT', body: stream, duplex: 'half' } as object;

    await rejectionOf(createRetryFetch({}, { circuitBreaker })(URL_OF_IT, init));

    expect(cancel).not.toHaveBeenCalled();
    expect(stream.locked).toBe(false);
  });
});

it('a Request keeps its referrer and its referrerPolicy', async () => {
  const sent: Request[] = [];
  const fetch: Fetch = async (input, init) => {
    sent.push(new Request(input, init));
    return new Response('ok');
  };
  const request = new Request(URL_OF_IT, { referrer: '', referrerPolicy: 'no-referrer' });

  await createRetryFetch({}, { fetch })(request);
  await createRetryFetch({}, { fetch })(request, { referrerPolicy: 'origin' });
  await createRetryFetch({}, { fetch })(new Request(URL_OF_IT));

  expect(sent.map(({ referrer, referrerPolicy }) => [referrer, referrerPolicy])).toEqual([
    ['', 'no-referrer'],
    ['', 'origin'],
    ['about:client', ''],
  ]);
});

describe('what is wrong', () => {
  it.each([null, undefined, 5])('fails as fetch fails: the URL %s', async (input) => {
    const error = await rejectionOf(createRetryFetch(AT_ONCE)(input as never));

    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: `Failed to parse URL from ${input}` });
  });

  it.each([
    [5, '5'],
    [null, 'null'],
  ])('is sent as fetch sends it: the method %s', async (method, text) => {
    const fetch = vi.fn<Fetch>(async () => new Response('ok'));

    await createRetryFetch(AT_ONCE, { fetch })(URL_OF_IT, { method } as object);

    expect(fetch.mock.lastCall?.[1]?.method).toBe(text);
  });

  it.each(['http://u:p@api.example.com/', URL_OF_IT])(
    'for Request is sent by a fetch that takes it: TRACE and GET %s',
    async (url) => {
      const fetch = vi.fn<Fetch>(async () => new Response('ok'));

      for (const method of ['GET', 'TRACE']) await createRetryFetch(AT_ONCE, { fetch })(url, { method });

      expect(fetch).toHaveBeenCalledTimes(2);
    },
  );

  it('is not retried where the fetch refuses it without a cause, as browsers do', async () => {
    const fetch = vi.fn<Fetch>(async () => {
      throw new TypeError('Request with GET/HEAD method cannot have body.');
    });

    await rejectionOf(createRetryFetch(AT_ONCE, { fetch })('/orders', { body: 'text' }));
    expect(fetch).toHaveBeenCalledTimes(1);
    await rejectionOf(createRetryFetch(AT_ONCE, { fetch })('/orders'));
    expect(fetch).toHaveBeenCalledTimes(4);
  });
});
