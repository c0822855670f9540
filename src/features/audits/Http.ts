import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { apiError, withApiErrors } from "../../foundation/http/ApiError.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { sha256 } from "../../foundation/http/Digest.ts"
import { Invalid } from "../../foundation/schema/DomainError.ts"
import { answer, byCreation, listPage, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import type { ProjectId } from "../projects/Domain.ts"
import { AuditsApi } from "./Api.ts"
import { Audits, reportOutcome } from "./Audits.ts"
import { lighthouseKey } from "./Domain.ts"
import type { ReportUnreadable } from "./report/LighthouseReport.ts"
import { type PsiReport, readReport } from "./report/ReadPsi.ts"

/** Messages name the report as the body of the request. */
const inBody = ({ field, reason }: ReportUnreadable) => Invalid.of(field === "" ? "body" : field, reason)

/** The field that prevents an audit: the run's own error, or a category without a score. */
const placeOf = ({ report: { categories, runtimeError } }: PsiReport) => {
  const unscored = categories.find(({ score }) => score === null)
  return runtimeError === null && unscored !== undefined
    ? `categories.${lighthouseKey[unscored.category]}.score`
    : "runtimeError"
}

const reportOf = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.gen(function* () {
    const read = yield* Either.mapLeft(readReport(yield* Effect.orDie(request.json), "body"), inBody)
    const outcome = reportOutcome(read)
    if (Either.isLeft(outcome.verdict)) return yield* Invalid.of(placeOf(read), outcome.verdict.left.message)
    return outcome
  })

const notHere = apiError(
  "not_implemented",
  "This endpoint does not run audits. Create a schedule with POST /api/v1/audit-schedules"
)

/** A part of a cursor's scope; lists without a site have none. */
const within = (project: ProjectId | undefined) => (project === undefined ? [] : ["project", project])

export const layer = HttpApiBuilder.group(apiRoot.add(AuditsApi), "audits", (handlers) =>
  Effect.gen(function* () {
    const audits = yield* Audits
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("list", ({ urlParams: { cursor, device, limit, project_id: project, sort, status, url } }) => {
        const address = url === undefined ? undefined : new URL(url).href
        const order = sort === "created_at" ? [] : [sort]
        const of = ["audits", address ?? "", device ?? "", status ?? "", ...within(project), ...order]
        return listPage(
          { cursor, limit, of },
          (account, batch) => audits.page(account, { device, project, status, url: address }, sort, batch),
          (audit) => (sort === "created_at" ? byCreation(audit) : [audit.measured_at, ...byCreation(audit)])
        )
      })
      .handle("pages", ({ urlParams: { cursor, device, limit, project_id: project } }) =>
        listPage(
          { cursor, limit, of: ["audited pages", device ?? "", ...within(project)] },
          (account, batch) => audits.pages(account, { device, project }, batch),
          ({ device, url }) => [url, device ?? ""]
        )
      )
      .handle("create", () => notHere)
      .handleRaw(
        "import",
        ({ headers, request }) =>
          Effect.flatMap(withApiErrors(reportOf(request)), (outcome) =>
            creating({ headers, payload: { outcome: sha256(JSON.stringify(outcome)).toString("hex") } }, (account) =>
              Effect.map(audits.imported(account, outcome), (audit) => ({
                data: audit,
                location: `/api/v1/audits/${audit.id}`
              }))
            )
          ),
        whole
      )
      .handle("get", ({ path }) => answer((account) => audits.get(account, path.id)))
      .handle("fixes", ({ path }) => answer((account) => audits.fixes(account, path.id)))
  })
).pipe(Layer.provide([Audits.Default, IdempotentCreate.Default]))
