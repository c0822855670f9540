import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { answer, answerPage, forCaller } from "../accounts/Answers.ts"
import { findable } from "../http/Findable.ts"
import { PublicUrl } from "../http/PublicUrl.ts"
import { SiteHealthApi } from "./Api.ts"
import { Runs } from "./Runs.ts"
import { Start, type Started } from "./Start.ts"

const metas = { created: {}, joined: { joined_in_flight: true }, replayed: { idempotent_replay: true } } as const

const startAnswer = ({ how, run }: Started) =>
  Effect.map(PublicUrl.location(`/api/v1/runs/${run.id}`), (location) =>
    HttpServerResponse.unsafeJson(
      { data: run, meta: metas[how] },
      { headers: { location }, status: how === "created" ? 202 : 200 }
    )
  )

const whole = { uninterruptible: true } as const

export const layer = HttpApiBuilder.group(findable.add(SiteHealthApi), "site-health", (handlers) =>
  Effect.gen(function* () {
    const runs = yield* Runs
    const { start } = yield* Start
    return handlers
      .handle(
        "start",
        ({ headers, path, payload }) =>
          Effect.flatMap(
            forCaller((account) => start(account, path.project_id, payload, headers["idempotency-key"])),
            startAnswer
          ),
        whole
      )
      .handle("list", ({ path: { project_id: project }, urlParams }) =>
        answerPage(
          { ...urlParams, of: ["runs", project] },
          (account, batch) => runs.list(account, project, batch),
          (run) => [run.created_at, run.id]
        )
      )
      .handle("latest", ({ path }) => answer((account) => runs.latest(account, path.project_id)))
      .handle("get", ({ path, urlParams: { include } }) =>
        answer((account) =>
          include === "result" ? runs.getWithResult(account, path.run_id) : runs.get(account, path.run_id)
        )
      )
      .handle("cancel", ({ path }) => answer((account) => runs.cancel(account, path.run_id)), whole)
  })
).pipe(Layer.provide([Runs.Default, Start.Default]))
