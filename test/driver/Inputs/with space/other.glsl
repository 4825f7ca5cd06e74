const float kOther = 3.0;
