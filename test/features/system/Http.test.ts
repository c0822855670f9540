import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"

const it = suite(Server.layerWithWorkers)

it("metrics show requests, connections, queues, finished work, and the process", function* () {
  const { account, key } = yield* Server.customer()
  const { id } = yield* Server.projectOf(account, "http://127.0.0.1:2")
  yield* Server.send("POST", `/api/v1/projects/${id}/site-health/runs`, { key })
  const text = yield* until(
    Effect.map(Server.send("GET", "/metrics"), ({ body }) => String(body)),
    (body) => body.includes('findable_work_total{kind="run"'),
    "100 millis"
  )
  for (const series of [
    'findable_http_requests_total{method="POST",route="/api/v1/projects/:project_id/site-health/runs",status="202"} ',
    'findable_work_total{kind="run",outcome="start_unreachable"} ',
    'findable_work_seconds_count{kind="run"} ',
    'findable_queue_waiting{kind="run"} ',
    'findable_queue_oldest_seconds{kind="import"} ',
    'findable_database_connections{state="idle"} ',
    "process_cpu_seconds_total ",
    "process_resident_memory_bytes ",
    'findable_build_info{version="0.1.0",'
  ]) {
    expect(text).toContain(series)
  }
})
