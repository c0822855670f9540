import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { withApiErrors } from "../../../foundation/http/ApiError.ts"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { jsonResponse } from "../../../foundation/http/JsonResponse.ts"
import { PublicUrl } from "../../../foundation/http/PublicUrl.ts"
import { whole } from "../Handlers.ts"
import { ConsoleSessionsApi } from "./Api.ts"
import { Sessions } from "./Sessions.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(ConsoleSessionsApi), "console-sessions", (handlers) =>
  Effect.map(Sessions, ({ enter }) =>
    handlers.handle(
      "enter",
      ({ payload }) =>
        Effect.zipWith(withApiErrors(enter(payload.code)), PublicUrl.location("/api/v1/key"), (data, location) =>
          jsonResponse({ data }, { headers: { location }, status: 201 })
        ),
      whole
    )
  )
).pipe(Layer.provide(Sessions.Default))
