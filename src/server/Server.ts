import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as OpenApi from "@effect/platform/OpenApi"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Api } from "../Api.ts"
import * as Authorize from "../accounts/Authorize.ts"
import * as KeyHttp from "../accounts/Http.ts"
import * as AuditsHttp from "../audits/Http.ts"
import * as AuditSchedulesHttp from "../audits/schedule/Http.ts"
import * as GrowthProjectsHttp from "../experiments/GrowthProjectsHttp.ts"
import * as ExperimentsHttp from "../experiments/Http.ts"
import { Cursors } from "../http/Cursors.ts"
import { PublicBase, PublicUrl } from "../http/PublicUrl.ts"
import { Stopping } from "../http/Stopping.ts"
import * as ProjectsHttp from "../projects/Http.ts"
import * as KeywordsHttp from "../rankings/Http.ts"
import * as PerformanceHttp from "../rankings/performance/Http.ts"
import * as RankingSourceHttp from "../rankings/sync/Http.ts"
import * as SiteHealthHttp from "../sitehealth/Http.ts"
import * as RulesHttp from "../sitehealth/RulesHttp.ts"
import * as SiteHealthResultsHttp from "../sitehealth/results/Http.ts"
import * as SiteHealthSchedulesHttp from "../sitehealth/schedules/Http.ts"
import { Contract } from "../system/Contract.ts"
import * as SystemHttp from "../system/Http.ts"
import * as EventsHttp from "../webhooks/events/Http.ts"
import * as WebhooksHttp from "../webhooks/Http.ts"
import * as Docs from "./Docs.ts"
import { closeFirst, Drain } from "./Drain.ts"
import * as ErrorEnvelope from "./ErrorEnvelope.ts"
import { Host, Port, ReusePort } from "./Settings.ts"

/** The server cannot listen where it was told to. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{ readonly message: string }> {}

const listener = Layer.unwrapEffect(
  Effect.map(Effect.all({ hostname: Host, port: Port, reusePort: ReusePort }), (address) =>
    BunHttpServer.layer({ ...address, idleTimeout: 120, maxRequestBodySize: Number.MAX_SAFE_INTEGER }).pipe(
      Layer.catchAllCause((cause) =>
        Layer.fail(
          new ListenFailed({
            message: `Cannot listen on ${address.hostname}:${address.port}, another program may have the port: set FINDABLE_PORT (${Cause.squash(cause)})`
          })
        )
      )
    )
  )
)

const isLoopback = (host: string) => /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host)

/** Without a public address links are built from what each caller claims to have asked; that is for this machine alone. */
const warned = Layer.effectDiscard(
  Effect.flatMap(Effect.all({ base: PublicBase, host: Host }), ({ base, host }) =>
    Effect.when(
      Effect.logWarning(
        `The server listens on ${host} and FINDABLE_PUBLIC_URL is not set: links in answers name the host that each request claims`
      ),
      () => Option.isNone(base) && !isLoopback(host)
    )
  )
)

/** The contract as a document, made when somebody first asks for it. */
const contract = Layer.effect(
  Contract,
  Effect.map(
    Effect.cached(Effect.sync(() => OpenApi.fromApi(Api, { additionalPropertiesStrategy: "allow" }))),
    (document) => ({ document })
  )
)

/** The contract with its handlers. */
const api = HttpApiBuilder.api(Api).pipe(
  Layer.provide([
    Layer.provide(SystemHttp.layer, contract),
    ProjectsHttp.layer,
    SiteHealthHttp.layer,
    SiteHealthResultsHttp.layer,
    SiteHealthSchedulesHttp.layer,
    KeywordsHttp.layer,
    PerformanceHttp.layer,
    RankingSourceHttp.layer,
    AuditsHttp.layer,
    AuditSchedulesHttp.layer,
    ExperimentsHttp.layer,
    GrowthProjectsHttp.layer,
    EventsHttp.layer,
    WebhooksHttp.layer,
    RulesHttp.layer,
    KeyHttp.layer
  ])
)

/** The router would fold `//` into `/` in queries too, and so break an address that is sent as it stands: `?url=https://example.com/`. */
const literal = HttpRouter.setRouterConfig({ ignoreDuplicateSlashes: false })

/** Serves the API on `FINDABLE_HOST:FINDABLE_PORT`; at the end of its scope requests in flight finish first. */
export const layer = closeFirst.pipe(
  Layer.provideMerge(HttpApiBuilder.serve()),
  Layer.provide(Docs.layer),
  Layer.provide([ErrorEnvelope.layer, warned]),
  Layer.provide(api),
  Layer.provide(literal),
  Layer.provide([Authorize.layer, Cursors.Default, PublicUrl.Default, Drain.Default, Stopping.Default]),
  Layer.provideMerge(listener)
)
