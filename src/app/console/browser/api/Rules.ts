import type { Rule } from "./Contract.ts"
import { useRead } from "./Read.ts"

/** The catalogue by id. A rule of another version stands for itself; so do all while the catalogue is not there. */
export const useRules = () => {
  const { data } = useRead<ReadonlyArray<Rule>>("/rules")
  const known = new Map(data?.map((rule) => [rule.rule, rule]))
  return (id: string): Rule =>
    known.get(id) ?? { fix: "", means: "", rule: id, source: "", title: id.replaceAll("_", " ") }
}
