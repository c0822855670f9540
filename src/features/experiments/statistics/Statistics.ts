/** Difference-in-Differences of conversion rates as a pure module, usable without the service. */
export { analyse } from "./Analyse.ts"
export { Analysis } from "./Analysis.ts"
export { erfc } from "./Erfc.ts"
export { ArmMetrics, ExperimentMetrics } from "./ExperimentMetrics.ts"
export { PageMetrics } from "./pages/PageMetrics.ts"
