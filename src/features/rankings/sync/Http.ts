import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { answer } from "../../accounts/Handlers.ts"
import { RankingSourceApi } from "./Api.ts"
import { Sources } from "./Sources.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(RankingSourceApi), "ranking-source", (handlers) =>
  Effect.map(Sources, (sources) =>
    handlers.handle("get", ({ path }) => answer((account) => sources.get(account, path.project_id)))
  )
).pipe(Layer.provide(Sources.Default))
