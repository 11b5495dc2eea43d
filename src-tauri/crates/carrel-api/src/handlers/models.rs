//! `models.*`, `endpoint.*`.
use crate::call::Call;
use crate::dto::*;
use crate::problem::Problem;
pub(crate) fn models_list(_call: &Call<'_>, _: Empty) -> Result<ModelList, Problem> {
    Err(Problem::not_available("x"))
}
pub(crate) fn models_get(
    _call: &Call<'_>,
    _: ModelRef,
    _: &mut dyn FnMut(DownloadEvent),
) -> Result<ModelDto, Problem> {
    Err(Problem::not_available("x"))
}
pub(crate) fn models_import(_call: &Call<'_>, _: ModelImport) -> Result<ModelDto, Problem> {
    Err(Problem::not_available("x"))
}
pub(crate) fn models_remove(_call: &Call<'_>, _: ModelRef) -> Result<Empty, Problem> {
    Err(Problem::not_available("x"))
}
pub(crate) fn models_test(_call: &Call<'_>, _: ModelRef) -> Result<ModelTest, Problem> {
    Err(Problem::not_available("x"))
}
pub(crate) fn endpoint_add(_call: &Call<'_>, _: EndpointAdd) -> Result<EndpointDto, Problem> {
    Err(Problem::not_available("x"))
}
pub(crate) fn endpoint_list(_call: &Call<'_>, _: Empty) -> Result<EndpointList, Problem> {
    Err(Problem::not_available("x"))
}
pub(crate) fn endpoint_remove(_call: &Call<'_>, _: ModelRef) -> Result<Empty, Problem> {
    Err(Problem::not_available("x"))
}
