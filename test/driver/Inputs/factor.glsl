const float kFactor = 2.0;
