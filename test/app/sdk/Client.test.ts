import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test"
import { ApiError, isApiError, make, type Operation, records, UnexpectedAnswer } from "../../../src/app/sdk/Client.ts"

interface Listed {
  readonly data: ReadonlyArray<number>
  readonly meta: { readonly next_cursor?: string }
}

/** A contract of two operations. */
interface Things {
  readonly things: {
    readonly list: Operation<
      { readonly query?: { readonly limit?: number; readonly cursor?: string | undefined } },
      Listed & { readonly status: 200; readonly requestId: string },
      "rate_limit_exceeded" | "service_unavailable"
    >
    readonly change: Operation<
      {
        readonly path: { readonly id: string }
        readonly body?: { readonly name: string }
        readonly file?: Blob
        readonly idempotencyKey?: string
        readonly wait?: number
      },
      { readonly status: 204; readonly location: string | undefined },
      "validation_error"
    >
  }
}

const table = { things: { change: "POST /api/v1/things/{id}/changes", list: "GET /api/v1/things" } }

/** A server with a list of responses, one per request; null is a lost connection. */
const scripted = (...answers: ReadonlyArray<Response | null>) => {
  const asked: Array<{ readonly url: string; readonly init: RequestInit }> = []
  const client = make<Things>(table, {
    baseUrl: "https://search.example/below/",
    fetch: (url, init) => {
      const answer = answers[asked.length] ?? null
      asked.push({ init, url })
      return answer === null ? Promise.reject(new TypeError("lost")) : Promise.resolve(answer)
    },
    key: "fnd_test_x",
    longestWait: 10
  })
  return { asked, client }
}

const refusal = (code: string, status: number, more: object = {}, headers: Record<string, string> = {}) =>
  Response.json({ error: { code, message: "No", request_id: "req_1", ...more } }, { headers, status })

const busy = (seconds: number, status = 429) =>
  refusal("rate_limit_exceeded", status, {}, { "retry-after": `${seconds}` })

const page = (data: ReadonlyArray<number>, next_cursor?: string) =>
  Response.json({ data, meta: { ...(next_cursor && { next_cursor }) } }, { headers: { "x-request-id": "req_2" } })

const thrown = (call: Promise<unknown>) =>
  call.then(
    () => "nothing",
    (error: unknown) => error
  )

/** Lets ready fibers run, without timers. */
const settle = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

describe("the client without Effect", () => {
  test("sends path, query, body and headers as the contract describes them", async () => {
    const { asked, client } = scripted(page([]), new Response(null, { headers: { location: "/x" }, status: 204 }))
    await client.things.list({ query: { cursor: undefined, limit: 5 } })
    const input = { body: { name: "é" }, idempotencyKey: "only-once-1", path: { id: "a/b" }, wait: 25 }
    expect(await client.things.change(input)).toMatchObject({ location: "/x", status: 204 })
    expect(asked.map(({ url }) => url)).toEqual([
      "https://search.example/below/api/v1/things?limit=5",
      "https://search.example/below/api/v1/things/a%2Fb/changes"
    ])
    expect(asked[1]?.init).toMatchObject({
      body: '{"name":"é"}',
      headers: {
        authorization: "Bearer fnd_test_x",
        "content-type": "application/json",
        "idempotency-key": "only-once-1",
        prefer: "wait=25"
      },
      method: "POST"
    })
  })

  test("sends a file without changing it, and requires no media type", async () => {
    const { asked, client } = scripted(new Response(null, { status: 204 }))
    const file = new Blob(["a,b"])
    await client.things.change({ file, path: { id: "1" } })
    expect(asked[0]?.init.body).toBe(file)
    expect(asked[0]?.init.headers).not.toHaveProperty("content-type")
  })

  test("resolves with body, status and request id", async () => {
    const { client } = scripted(page([1]))
    expect(await client.things.list()).toMatchObject({ data: [1], requestId: "req_2", status: 200 })
  })

  test("rejects with the error of the envelope", async () => {
    const details = [{ message: "must be shorter", path: "name" }]
    const { client } = scripted(refusal("validation_error", 422, { details }), busy(3600))
    const wrong = await thrown(client.things.change({ path: { id: "1" } }))
    expect(wrong).toBeInstanceOf(ApiError)
    expect(wrong).toMatchObject({ code: "validation_error", details, message: "No", requestId: "req_1", status: 422 })
    expect(isApiError(wrong, client.things.change)).toBe(true)
    expect(await thrown(client.things.list())).toMatchObject({ code: "rate_limit_exceeded", retryAfter: 3600 })
  })

  test("says when a response comes from another program", async () => {
    const { client } = scripted(new Response("<h1>Bad gateway</h1>", { status: 502 }), new Response("hello"))
    for (const status of [502, 200]) {
      const error = await thrown(client.things.list())
      expect(error).toBeInstanceOf(UnexpectedAnswer)
      expect(error).toMatchObject({ status })
      expect(isApiError(error)).toBe(false)
    }
  })

  test("walks through the pages of a list, and fetches no page that is not read", async () => {
    const { asked, client } = scripted(page([1, 2], "two"), page([], "three"), page([3]))
    const all = records((start) => client.things.list({ query: { ...start } }))
    expect(asked).toEqual([])
    const seen: Array<number> = []
    for await (const thing of all) {
      seen.push(thing)
      if (seen.length === 2) expect(asked.length).toBe(1)
    }
    expect(seen).toEqual([1, 2, 3])
    expect(asked.map(({ url }) => new URL(url).searchParams.get("cursor"))).toEqual([null, "two", "three"])
  })
})

describe("retries of the client without Effect", () => {
  test("repeat a read after the time that the server names, and after a lost connection", async () => {
    const { asked, client } = scripted(busy(7), busy(3, 503), null, page([1]))
    const listed = client.things.list()
    for (const [milliseconds, so] of [
      [6900, 1],
      [100, 2],
      [3000, 3],
      [2000, 4]
    ] as const) {
      await settle()
      jest.advanceTimersByTime(milliseconds)
      await settle()
      expect(asked.length).toBe(so)
    }
    expect((await listed).data).toEqual([1])
  })

  test("end after three repeats", async () => {
    const { asked, client } = scripted(busy(1), busy(1), busy(1), busy(1), page([]))
    const error = thrown(client.things.list())
    for (let turn = 0; turn < 4; turn++) {
      await settle()
      jest.advanceTimersByTime(1000)
    }
    expect(await error).toMatchObject({ code: "rate_limit_exceeded", retryAfter: 1 })
    expect(asked.length).toBe(4)
  })

  test("never repeat a request that would change something twice", async () => {
    const { asked, client } = scripted(null, page([]))
    expect(await thrown(client.things.change({ path: { id: "1" } }))).toBeInstanceOf(TypeError)
    expect(asked.length).toBe(1)
  })

  test("stop waiting when the caller aborts", async () => {
    const { asked, client } = scripted(busy(9), page([]))
    const controller = new AbortController()
    const ended = thrown(client.things.list({ signal: controller.signal }))
    await settle()
    controller.abort(new Error("no longer wanted"))
    expect(await ended).toMatchObject({ message: "no longer wanted" })
    jest.advanceTimersByTime(60_000)
    await settle()
    expect(asked.length).toBe(1)
  })
})
