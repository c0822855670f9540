import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { withApiErrors } from "../../../foundation/http/ApiError.ts"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { Invalid } from "../../../foundation/schema/DomainError.ts"
import { forCaller, whole } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/Idempotency.ts"
import { FilesRepo, fileHandlers } from "../../files/Files.ts"
import type { Project } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { type Reading, rangeOf } from "../import/FileImports.ts"
import { DropDay } from "../import/Imports.ts"
import * as Property from "../Property.ts"
import { MaxBytes } from "../Settings.ts"
import { RankingImportsApi, Upload } from "./Api.ts"

const check = ({ host }: Project, { property }: Reading) =>
  property === null
    ? Effect.void
    : Effect.mapError(Property.covering(property, host), (message) => Invalid.of("property", message))

export const layer = HttpApiBuilder.group(apiRoot.add(RankingImportsApi), "ranking-imports", (handlers) =>
  Effect.gen(function* () {
    const dropDay = yield* DropDay
    const { create, get, list, remove } = yield* fileHandlers({
      check,
      kind: "rankings",
      most: yield* MaxBytes,
      View: Upload
    })
    return handlers
      .handle("create", (request) => {
        const {
          date = null,
          dimensions = null,
          end = null,
          format,
          property = null,
          replace = "false"
        } = request.urlParams
        const { start = null } = request.urlParams
        return Effect.flatMap(withApiErrors(rangeOf({ date, end, start })), (range) =>
          create(request, { date, dimensions, format, property, range, replaces: replace === "true" })
        )
      })
      .handle("list", list)
      .handle("get", get)
      .handle("remove", remove, whole)
      .handle(
        "removeDay",
        ({ path: { day, project_id } }) => forCaller((account) => dropDay.atOnce(account, project_id, day)),
        whole
      )
  })
).pipe(Layer.provide([DropDay.Default, FilesRepo.Default, IdempotentCreate.Default, Projects.Default]))
