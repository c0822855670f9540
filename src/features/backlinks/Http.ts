import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { fileOf } from "../../foundation/http/Request.ts"
import { answerList } from "../accounts/Exports.ts"
import { answer, byCreation, forCaller, listPage, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import { BacklinkImportsApi, BacklinksApi } from "./Api.ts"
import { domainOf } from "./BacklinkFile.ts"
import { Backlinks } from "./Backlinks.ts"
import { Backlink, Change, ReferringDomain } from "./Domain.ts"
import { Imports } from "./Imports.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(BacklinksApi), "backlinks", (handlers) =>
  Effect.gen(function* () {
    const backlinks = yield* Backlinks
    return handlers
      .handle("list", ({ path: { project_id }, urlParams }) => {
        const { cursor, domain, limit, rel, source, state, target_path: targetPath } = urlParams
        const filters = {
          domain: domain === undefined ? undefined : (domainOf(domain) ?? domain),
          rel,
          source,
          state,
          targetPath
        }
        return answerList(
          {
            read: (account, batch) =>
              Effect.map(backlinks.list(account, project_id, filters, batch), (rows) =>
                rows.map(({ created_at, ...record }) => ({ created_at, id: record.id, record }))
              ),
            columns: Object.keys(Backlink.fields),
            json: ({ record }) => JSON.stringify(record),
            position: byCreation,
            query: {
              cursor,
              limit,
              of: [
                "backlinks",
                project_id,
                state ?? "",
                rel ?? "",
                filters.domain ?? "",
                targetPath ?? "",
                source ?? ""
              ]
            }
          },
          ({ data, links, meta }) => Effect.succeed({ data: data.map(({ record }) => record), links, meta })
        )
      })
      .handle("domains", ({ path: { project_id }, urlParams }) =>
        answerList(
          {
            read: (account, batch) => backlinks.domains(account, project_id, batch),
            columns: Object.keys(ReferringDomain.fields),
            json: (domain) => JSON.stringify(domain),
            position: ({ domain }) => [domain],
            query: { ...urlParams, of: ["backlink-domains", project_id] }
          },
          (page) => Effect.succeed(page)
        )
      )
      .handle("changes", ({ path: { project_id }, urlParams: { cursor, kind, limit, since } }) =>
        answerList(
          {
            read: (account, batch) =>
              Effect.map(backlinks.changes(account, project_id, { kind, since }, batch), (rows) =>
                rows.map(({ created_at, ...record }) => ({ created_at, id: record.id, record }))
              ),
            columns: Object.keys(Change.fields),
            json: ({ record }) => JSON.stringify(record),
            position: byCreation,
            query: {
              cursor,
              limit,
              of: ["backlink-changes", project_id, kind ?? "", since === undefined ? "" : DateTime.formatIso(since)]
            }
          },
          ({ data, links, meta }) => Effect.succeed({ data: data.map(({ record }) => record), links, meta })
        )
      )
      .handle(
        "check",
        ({ path: { backlink_id, project_id } }) =>
          answer((account) => backlinks.check(account, project_id, backlink_id)),
        whole
      )
      .handle(
        "checkDue",
        ({ path: { project_id } }) => answer((account) => backlinks.checkDue(account, project_id)),
        whole
      )
  })
).pipe(Layer.provide(Backlinks.Default))

export const importsLayer = HttpApiBuilder.group(apiRoot.add(BacklinkImportsApi), "backlink-imports", (handlers) =>
  Effect.gen(function* () {
    const imports = yield* Imports
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("create", ({ headers, path: { project_id }, urlParams: { format } }) =>
        forCaller((account) =>
          Effect.gen(function* () {
            const body = fileOf(yield* HttpServerRequest.HttpServerRequest)
            return yield* imports.receiving(account, project_id, format, body, (hash, queued) =>
              creating({ headers, payload: { format, hash } }, () =>
                Effect.map(queued, (data) => ({
                  accepted: true,
                  data,
                  location: `/api/v1/projects/${project_id}/backlinks/imports/${data.id}`
                }))
              )
            )
          })
        )
      )
      .handle("list", ({ path: { project_id }, urlParams }) =>
        listPage(
          { ...urlParams, of: ["backlink-imports", project_id] },
          (account, batch) => imports.list(account, project_id, batch),
          byCreation
        )
      )
      .handle("get", ({ path: { import_id, project_id } }) =>
        answer((account) => imports.get(account, project_id, import_id))
      )
  })
).pipe(Layer.provide([IdempotentCreate.Default, Imports.Default]))
