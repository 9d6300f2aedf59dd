#include "base/timers.h"

namespace rivulet {

StageTimers::Stage& StageTimers::stage(const char* name)
{
    for (const auto& stage : stages_)
        if (stage->name == name) return *stage;
    stages_.push_back(std::make_unique<Stage>());
    stages_.back()->name = name;
    return *stages_.back();
}

} // namespace rivulet
