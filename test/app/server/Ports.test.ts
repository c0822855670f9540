import { expect } from "bun:test"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

it("an address with a port of another protocol is refused wherever a caller gives one, and the port is named", function* () {
  const { account, key } = yield* Server.customer("agency_team", ["*", "site-health:write", "interventions:write"])
  const { id } = yield* Server.projectOf(account, "http://127.0.0.1:8080")
  const send = (method: string, path: string, body: object) => Server.send(method, `/api/v1${path}`, { body, key })
  const hook = { events: ["audit.completed"], url: "http://127.0.0.1:2/hook" }
  const webhook = (yield* send("POST", "/webhooks", hook)).body.data.id
  const url = "http://127.0.0.1:22/"
  const wordpress = { application_password: "secret", url, username: "u" }
  const requests: ReadonlyArray<readonly [method: string, path: string, body: object]> = [
    ["POST", "/projects", { url }],
    ["POST", "/webhooks", { ...hook, url }],
    ["PATCH", `/webhooks/${webhook}`, { url }],
    ["POST", `/projects/${id}/site-health/runs`, { url }],
    ["POST", `/projects/${id}/site-health/schedules`, { every: "7d", url }],
    ["POST", "/audit-schedules", { every: "7d", url }],
    ["POST", "/audits", { url }],
    ["PUT", `/projects/${id}/connectors/wordpress`, wordpress]
  ]
  for (const [method, path, body] of requests) {
    const { body: answer, status } = yield* send(method, path, body)
    expect([path, status, JSON.stringify(answer.error)]).toEqual([path, 422, expect.stringContaining("port 22")])
  }
  expect((yield* send("PATCH", `/webhooks/${webhook}`, {})).body.data.url).toBe(hook.url)
})
