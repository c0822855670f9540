import * as Effect from "effect/Effect"
import type { ListQuery } from "../../../foundation/http/Paging.ts"
import { answer, byCreation, forCaller, listPage } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/IdempotentCreate.ts"
import type { ProjectId } from "../Domain.ts"
import type { Recurring } from "./Schedule.ts"
import type { Interval, Schedules } from "./Schedules.ts"

interface OfProject {
  readonly path: { readonly project_id: ProjectId }
}

interface OfSchedule<Id> {
  readonly path: { readonly project_id: ProjectId; readonly schedule_id: Id }
}

/** How the endpoints of a kind of schedules are answered; `room` is the part of their path that names the kind. */
export const scheduleHandlers = <
  S extends Recurring & Asked & { readonly created_at: string },
  Asked extends Interval,
  T,
  E
>(
  schedules: Schedules<S, Asked, T, E>,
  room: string
) =>
  Effect.map(IdempotentCreate, ({ creating }) => ({
    change: ({ path, payload }: OfSchedule<S["id"]> & { readonly payload: Partial<Asked> }) =>
      answer((account) => schedules.change(account, path.project_id, path.schedule_id, payload)),
    create: (
      asked: OfProject & { readonly headers: { readonly "idempotency-key"?: string }; readonly payload: Asked }
    ) =>
      creating(asked, (account) =>
        Effect.map(schedules.create(account, asked.path.project_id, asked.payload), (schedule) => ({
          data: schedule,
          location: `/api/v1/projects/${schedule.project_id}/${room}/schedules/${schedule.id}`
        }))
      ),
    get: ({ path }: OfSchedule<S["id"]>) =>
      answer((account) => schedules.get(account, path.project_id, path.schedule_id)),
    list: ({ path: { project_id: project }, urlParams }: OfProject & { readonly urlParams: Omit<ListQuery, "of"> }) =>
      listPage(
        { ...urlParams, of: [schedules.plural, project] },
        (account, batch) => schedules.list(account, project, batch),
        byCreation
      ),
    remove: ({ path }: OfSchedule<S["id"]>) =>
      forCaller((account) => schedules.remove(account, path.project_id, path.schedule_id))
  }))
