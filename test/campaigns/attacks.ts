import { belongings, insider, type Operation, operationsOf, pathWith } from "./attackers.ts"
import { type Answer, ask, type Node, node, receiver, site } from "./node.ts"
import { postgres } from "./postgres.ts"

const pick = <A>(from: ReadonlyArray<A>): A => from[Math.floor(Math.random() * from.length)] ?? from[0] ?? fail()
const fail = (): never => {
  throw new Error("Nothing to pick from")
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

/** Values for fields, as JSON texts: wrong types, huge numbers, NUL, lone surrogates, deep nesting. */
const values = [
  "null",
  "true",
  "-1",
  "0",
  "1e400",
  "1e308",
  "-0",
  "9007199254740993",
  "0.5",
  '""',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u202e"',
  `"${"a".repeat(3000)}"`,
  `"${"𝔸".repeat(600)}"`,
  "[]",
  "{}",
  "[null]",
  `[${"1,".repeat(5000)}1]`,
  nested(400),
  '{"__proto__":{"a":1}}',
  '{"constructor":1}',
  '"2026-02-30"',
  '"2026-11-22T00:00:00Z"',
  '"9999999-01-01T00:00:00Z"',
  '"-infinity"',
  '"00000000-0000-0000-0000-000000000000"',
  '"%00"',
  '"\'; DROP TABLE accounts; --"',
  '"http://[::1"',
  '"http://a.example/"',
  '"http://127.0.0.1:2/"',
  '"javascript:alert(1)"',
  '"http://\\u0000/"',
  '"http://a.example/%ff"',
  '"1d"',
  '"99999999999d"',
  '["audit.completed"]',
  '["audit.completed","audit.completed"]',
  '"draft"',
  '"*"',
  '"\\ud83d\\ude00"',
  "[[[]]]",
  '{"a":{"b":{"c":[]}}}'
]

/** Whole bodies that are invalid. */
const bodies = [
  "",
  " ",
  "{",
  "[",
  "nul",
  "{}x",
  '{"a":1,}',
  "{'a':1}",
  "\ufeff{}",
  '"text"',
  "42",
  "null",
  "[]",
  nested(10_000),
  `{"a":${nested(20_000)}}`,
  `{"a":"${"x".repeat(1 << 20)}"}`,
  "\u0000",
  '{"url":NaN}',
  '{"url":1e999}',
  '{"a":"\\u00"}',
  '{"url":"http://a.example","url":1}',
  "a=1&b=2",
  "<xml/>",
  "%PDF",
  '{"\\ud800":1}',
  '{"\\u0000":1}'
]

const texts = [
  "",
  "0",
  "-1",
  "1",
  "100",
  "101",
  "1e3",
  "9007199254740993",
  "1.5",
  "NaN",
  "%00",
  "a%00b",
  "%ED%A0%80",
  "%ff%fe",
  "%",
  "%zz",
  "%F0%9F%98%80",
  "x".repeat(6000),
  "true",
  "null",
  "[]",
  "2026-02-30",
  "2026-11-22",
  "0000-00-00",
  "99999-01-01",
  "00000000-0000-0000-0000-000000000000",
  "date",
  "query",
  "device",
  "draft",
  "stable",
  "result",
  "%27%3B--",
  "%5C",
  "%25",
  "*",
  "..%2f..",
  "eyJhIjoxfQ",
  "AAAA",
  "%E2%80%AE"
]

const headers: ReadonlyArray<Record<string, string>> = [
  {},
  {},
  {},
  { accept: "text/csv" },
  { accept: "application/x-ndjson" },
  { accept: ";;;,q=,*/*;q=9" },
  { accept: "x".repeat(5000) },
  { prefer: "wait=1" },
  { prefer: "wait=-1, wait=1e9" },
  { prefer: "wait=\u00e9" },
  { "if-none-match": "*" },
  { "if-none-match": 'W/"'.repeat(500) },
  { "idempotency-key": "short" },
  { "idempotency-key": "a".repeat(201) },
  { "idempotency-key": "proper-key-1" },
  { "idempotency-key": "\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-type": "text/plain" },
  { "content-type": "multipart/form-data; boundary=" },
  { "content-type": "/" },
  { "content-encoding": "gzip" },
  { "content-encoding": "br, gzip" },
  { range: "bytes=0-0" },
  { "accept-encoding": "gzip;q=0,br;q=abc,*" },
  { "x-forwarded-for": "::::,999.1.1.1" },
  { traceparent: "00-zz-zz-zz" },
  { "x-http-method-override": "DELETE" },
  { origin: "null" },
  { te: "trailers" },
  { "x-api-key": "fnd_live_other" },
  { cookie: "a=b; ".repeat(300) },
  { expect: "200-ok" },
  { "last-event-id": "\u00ff" }
]

const fuzzed = ({ body, method, parameters, path }: Operation, ids: Readonly<Record<string, string | undefined>>) => {
  const filled =
    Math.random() < 0.7
      ? pathWith(path, ids)
      : path.replace(/\{\w+\}/g, () => encodeURI(pick(texts).slice(0, 1500)).replaceAll("/", "%2f") || "x")
  const known = parameters.filter((one) => one.in === "query").map(({ name }) => name)
  const count = Math.floor(Math.random() * 4)
  const query = Array.from(
    { length: count },
    () => `${pick([...known, ...known, "x", "limit", "cursor", "constructor"])}=${pick(texts)}`
  ).join("&")
  const fields = Object.keys(body)
  const some = fields.filter(() => Math.random() < 0.7)
  const object = `{${[...some, ...(Math.random() < 0.1 ? ["surprise"] : [])].map((name) => `${JSON.stringify(name)}:${pick(values)}`).join(",")}}`
  const text = method === "GET" || method === "DELETE" ? undefined : Math.random() < 0.3 ? pick(bodies) : object
  return { headers: pick(headers), method, path: query === "" ? filled : `${filled}?${query}`, text }
}

const send = async (base: string, key: string, { headers, method, path, text }: ReturnType<typeof fuzzed>) => {
  try {
    const response = await fetch(`${base}${path}`, {
      headers: {
        authorization: `Bearer ${key}`,
        ...(text === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      method,
      redirect: "manual",
      ...(text === undefined ? {} : { body: text })
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    return { status: 0, text: String(error) }
  }
}

const isEnvelope = (text: string) => {
  const { code, message, request_id } = Object(Object(JSON.parse(text)).error)
  return typeof code === "string" && typeof message === "string" && /^req_/.test(request_id)
}

/** Every operation with bodies, parameters and headers made to break it; deletions are left out, so that things remain. */
const fuzz = async (
  on: Node,
  database: Parameters<typeof insider>[0],
  ids: Readonly<Record<string, string | undefined>>,
  first: string,
  calls: number
) => {
  const operations = (await operationsOf(on)).filter(({ method }) => method !== "DELETE")
  const keys = [first, ...(await Promise.all(Array.from({ length: 39 }, async () => (await insider(database)).key)))]
  const statuses = new Map<number, number>()
  const wrong: Array<string> = []
  let sent = 0
  const one = async (worker: number) => {
    while (sent < calls) {
      sent++
      // Now and then the owner's key is used, so that code behind the ownership check is reached too.
      const own = Math.random() < 0.15
      const asked = fuzzed(pick(operations), ids)
      const { status, text } = await send(
        on.base,
        own ? first : (keys[(worker * 5 + (sent % 5)) % keys.length] ?? first),
        asked
      )
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const bad = (status >= 500 && status !== 501) || status === 0 || (status >= 400 && !isEnvelope(text))
      if (bad && wrong.length < 30)
        wrong.push(
          `${asked.method} ${asked.path.slice(0, 200)} ${JSON.stringify(asked.headers).slice(0, 80)} ${asked.text?.slice(0, 200)} → ${status} ${text.slice(0, 200)}`
        )
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, worker) => one(worker)))
  const told = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
    .join(", ")
  console.log(`${sent} calls to ${operations.length} operations: ${told}; ${wrong.length} wrong`)
  for (const line of wrong) console.log(`  ${line}`)
  return wrong.length === 0
}

/** Every operation on things of another account, and lists filtered by them; foreign things must look missing, and must not change. */
const trespass = async (
  on: Node,
  owner: string,
  stranger: string,
  ids: Readonly<Record<string, string | undefined>>
) => {
  const operations = (await operationsOf(on)).filter(({ path }) => path.includes("{"))
  const metrics = { postConversions: 2, postImpressions: 100, preConversions: 1, preImpressions: 100 }
  const right: Readonly<Record<string, unknown>> = {
    controlMetrics: metrics,
    every: "1d",
    name: "n",
    since: "2026-11-21T00:00:00Z",
    treatmentMetrics: metrics
  }
  const snapshot = async () => {
    const texts: Array<string> = []
    for (const { path } of operations.filter(
      ({ method, path }) => method === "GET" && !path.includes("audit-schedules")
    )) {
      const { body, status } = await on.ask("GET", pathWith(path, ids), { key: owner })
      texts.push(`${path} ${status} ${JSON.stringify(body?.data ?? body?.error?.code)}`)
      if (status === 429) await Bun.sleep(1000)
    }
    return texts
  }
  let before = await snapshot()
  // Changes by workers for the owner are not the attacker's.
  for (let same = false; !same; ) {
    await Bun.sleep(3000)
    const next = await snapshot()
    same = next.every((line, index) => line === before[index])
    before = next
  }
  const wrong: Array<string> = []
  let probes = 0
  const expect404 = async (what: string, asked: Promise<Answer>) => {
    probes++
    const { body, status } = await asked
    const named = Object.values(ids).some((id) => id !== undefined && JSON.stringify(body?.data ?? "").includes(id))
    if (status !== 404 && !(status === 501 || (status === 200 && !named && !what.includes("{"))))
      wrong.push(`${what} is ${status} ${JSON.stringify(body).slice(0, 200)}`)
    else if (named) wrong.push(`${what} names what is another's`)
  }
  for (const { body, method, path } of operations) {
    const known = Object.fromEntries(
      Object.keys(body).flatMap((name) => (right[name] === undefined ? [] : [[name, right[name]]]))
    )
    const suffix = path.endsWith("/imports") && method === "POST" ? "?format=gsc-csv" : ""
    const request = method === "GET" || method === "DELETE" ? { key: stranger } : { body: known, key: stranger }
    await expect404(`${method} ${path}`, ask(on.base, method, pathWith(path, ids) + suffix, request))
    for (const accept of method === "GET" ? ["text/csv", "application/x-ndjson"] : [])
      await expect404(
        `${method} ${path} as ${accept}`,
        ask(on.base, method, pathWith(path, ids), { headers: { accept }, key: stranger })
      )
  }
  for (const [path, name] of [
    ["keywords", "project_id"],
    ["experiments", "project_id"]
  ] as const)
    await expect404(
      `GET ${path}?site_id`,
      ask(on.base, "GET", `/api/v1/${path}?site_id=${ids[name]}`, { key: stranger })
    )
  await expect404(
    "GET experiments?project_id",
    ask(on.base, "GET", `/api/v1/experiments?project_id=${ids.growth}`, { key: stranger })
  )
  await expect404(
    "POST experiments",
    ask(on.base, "POST", "/api/v1/experiments", { body: { name: "n", project_id: ids.growth }, key: stranger })
  )
  for (const list of [
    "projects",
    "keywords",
    "experiments",
    "growth-projects",
    "audits",
    "audit-schedules",
    "webhooks",
    "events"
  ])
    await expect404(`GET ${list}`, ask(on.base, "GET", `/api/v1/${list}`, { key: stranger }))
  const after = await snapshot()
  const changed = before.filter((line, index) => line !== after[index])
  for (const line of changed) wrong.push(`changed: ${line.slice(0, 100)}`)
  console.log(`${probes} probes by a stranger of ${operations.length} operations: ${wrong.length} wrong`)
  for (const line of wrong) console.log(`  ${line}`)
  return wrong.length === 0
}

/** `attacks [calls]`: probes every operation of the OpenAPI document across accounts, then sends fuzzed calls; nothing may leak, change, or return 5xx. */
export const attacks = async ([calls = "15000"]: ReadonlyArray<string>) => {
  const database = await postgres()
  const serving = await node({ DATABASE_URL: database.url() })
  const pages = site(3, 5)
  const hooks = receiver()
  const owner = await insider(database)
  const stranger = await insider(database)
  const ids = await belongings(serving, owner.key, pages.url, hooks.url)
  const missing = Object.entries(ids).flatMap(([name, id]) => (id === undefined ? [name] : []))
  if (missing.length > 0) console.log(`  not made: ${missing}`)
  const apart = await trespass(serving, owner.key, stranger.key, ids)
  const whole = await fuzz(serving, database, ids, owner.key, Number(calls))
  const alive = (await serving.ask("GET", "/healthz")).status === 200
  if (!whole)
    console.log(
      serving
        .output()
        .split("\n")
        .filter((line) => line.includes("level=ERROR"))
        .slice(0, 20)
        .map((line) => line.slice(0, 600))
        .join("\n")
    )
  const code = await serving.end("SIGTERM")
  pages.stop()
  hooks.stop()
  await database.remove()
  return apart && whole && alive && code === 0 && missing.length === 0
}
