import { describe, expect, test } from "bun:test"
import * as OpenApi from "@effect/platform/OpenApi"
import { Api } from "../../../../src/Api.ts"
import { type Requested, requested, requestsOf } from "./requests.ts"

interface Operation {
  readonly method: string
  /** The path below `/api/v1`, with parameters as `{name}`. */
  readonly path: string
}

const document = OpenApi.fromApi(Api, { additionalPropertiesStrategy: "allow" })

const operations: ReadonlyArray<Operation> = Object.entries(document.paths).flatMap(([path, item]) =>
  path.startsWith("/api/v1/")
    ? Object.keys(item).map((method) => ({ method: method.toUpperCase(), path: path.slice("/api/v1".length) }))
    : []
)

const nameOf = ({ method, path }: Operation) => `${method} ${path}`

/** Operations that no screen needs, by the reason: the seed forbids them, or they are for programs alone. */
const exceptions: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Lighthouse runs by schedules and commands; this always returns 501": ["POST /audits"],
  "Programs read the contract": ["GET /openapi.json"],
  "Programs read one entry; a screen shows the list with all of its fields": [
    "GET /audit-schedules/{schedule_id}",
    "GET /events/{event_id}",
    "GET /growth-projects/{id}",
    "GET /keys/{id}",
    "GET /projects/{project_id}/geo/schedules/{schedule_id}",
    "GET /projects/{project_id}/site-health/schedules/{schedule_id}"
  ],
  "Programs read a completed audit; a screen shows the list, with the audits that failed too": ["GET /audits/{id}"],
  "Programs read the days of one record; a screen shows the days of its query": ["GET /keywords/{id}/series"],
  "Programs read one kind of opportunity in its first form; a screen shows it as a kind of all opportunities": [
    "GET /projects/{project_id}/cannibalisation"
  ],
  "The domain of an experiment is the site’s: the console makes it, and nobody changes or deletes it there": [
    "PATCH /growth-projects/{id}",
    "DELETE /growth-projects/{id}"
  ],
  "Programs read the latest crawl without its id; a screen reads the history, which names it": [
    "GET /projects/{project_id}/site-health/latest"
  ],
  "Programs read all fixes of a crawl; a screen shows each fix with its issue": ["GET /runs/{run_id}/fixes"]
}

const isAt = ({ path: template }: Operation, { path }: Requested) => {
  const [wanted, sent] = [template.split("/"), path.split("/")]
  return (
    wanted.length === sent.length &&
    wanted.every((part, index) => (part.startsWith("{") ? sent[index]?.includes("{}") : part === sent[index]))
  )
}

const requests = await requested()

/** The screens that send an operation. */
const screensOf = (operation: Operation) =>
  requests.filter((one) => one.method === operation.method && isAt(operation, one)).map(({ file }) => file)

describe("the requests of the console", () => {
  test("have the paths of the contract", () => {
    const strange = requests.filter((one) => !operations.some((operation) => isAt(operation, one)))
    expect(strange).toEqual([])
  })

  test("are on a screen for every operation, except for those with a reason", () => {
    const excepted = new Set(Object.values(exceptions).flat())
    const missing = operations.filter(
      (operation) => !excepted.has(nameOf(operation)) && screensOf(operation).length === 0
    )
    expect(missing.map(nameOf)).toEqual([])
  })

  test("are on no screen for an exception, which is an operation of the contract", () => {
    const used = Object.values(exceptions)
      .flat()
      .filter((name) => {
        const operation = operations.find((one) => nameOf(one) === name)
        return operation === undefined || screensOf(operation).length > 0
      })
    expect(used).toEqual([])
  })
})

describe("the requests of a source", () => {
  const of = (files: Readonly<Record<string, string>>) =>
    requestsOf(files).map(({ file, method, path }) => `${file}: ${method} ${path}`)

  test("are read through constants, both branches of a choice, and queries", () => {
    const source = `
      const Screen = ({ id }: { readonly id: string }) => {
        const [path, other] = [\`/things/\${id}\`, "/others"]
        const all = useAll<Thing>(\`\${path}/parts\${queryOf({ id })}\`)
        return useRead(all === null ? null : id === "a" ? path : \`\${other}?limit=1\`)
      }
      const send = () => ask<Thing>(isOld ? "PATCH" : "POST", "/things", { body: { text: "a, (b" } })`
    expect(of({ "a.ts": source })).toEqual([
      "a.ts: GET /things/{}/parts",
      "a.ts: GET /things/{}",
      "a.ts: GET /others",
      "a.ts: PATCH /things",
      "a.ts: POST /things"
    ])
  })

  test("are read through the properties of components and the arguments of functions, in other files too", () => {
    const files = {
      "list.tsx": `
        export const List = ({ at: path, name }: { readonly at: string; readonly name: string }) => <b>{useRead(path)}{name}</b>
        const remove = (path: string, id: string) => ask("DELETE", \`\${path}/\${id}\`)
        const Row = (row: Row) => <button onClick={() => remove("/rows", row.id)} />`,
      "screen.tsx": `const Screen = ({ id }: Properties) => <List name="x" at={\`/screens/\${encodeURIComponent(id)}\`} />`,
      "stranger.tsx": `const List = ({ at }: Properties) => <i>{at}</i>
        const Other = () => <List at="/never" />`
    }
    expect(of(files)).toEqual(["list.tsx: GET /screens/{}", "list.tsx: DELETE /rows/{}"])
  })
})
