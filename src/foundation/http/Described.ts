import * as OpenApi from "@effect/platform/OpenApi"

/** Summary and description of an endpoint in the reference. Scope, limits and errors are added from the contract. */
export const described = (summary: string, description: string) => OpenApi.annotations({ description, summary })

/** Description of a group of endpoints. */
export const about = (description: string) => OpenApi.annotations({ description })
